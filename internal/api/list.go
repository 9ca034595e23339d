package api

import (
	"bytes"
	"encoding/json"
)

// List is a list that is written as [] when it is nil.
type List[T any] []T

// MarshalJSON writes the list. It does not escape for HTML, which is up to the caller that writes the whole document.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode([]T(l)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
