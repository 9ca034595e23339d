package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ID is an id of anything. It is written as a JSON string, and read from a string or a number
// (server 2.2).
type ID int64

// OptID returns a pointer to the id, or nil for zero, which means none.
func OptID(id ID) *ID {
	if id == 0 {
		return nil
	}
	return &id
}

// ParseID reads the decimal text of an id.
func ParseID(text string) (ID, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("id must be an integer, got %q", text)
	}
	return ID(n), nil
}

// String returns the id as a decimal text.
func (id ID) String() string { return strconv.FormatInt(int64(id), 10) }

// MarshalJSON writes the id as a string.
func (id ID) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, id.String()), nil
}

// UnmarshalJSON reads a string or a number. As usual, null changes nothing.
func (id *ID) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text == "null" {
		return nil
	}
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	parsed, err := ParseID(text)
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}
