package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// checkBody checks the content type of the request (server 2.1).
func checkBody(c *Call) error {
	types := c.Route.Body.types
	if len(types) == 0 {
		return nil
	}
	header := c.Request.Header.Get("Content-Type")
	if header == "" && c.Route.Body.optional {
		return nil
	}
	given, _, err := mime.ParseMediaType(header)
	if err == nil {
		for _, wanted := range types {
			if strings.EqualFold(given, wanted) {
				return nil
			}
		}
	}
	return Invalid("the content type must be %s, got %q", strings.Join(types, " or "), header)
}

// Decode reads the JSON body of the request.
func (c *Call) Decode(into any) error {
	data, err := c.ReadBody()
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Invalid("the body is empty, want a JSON object")
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return Invalid("the body is null, want a JSON object")
	}
	return DecodeJSON(data, into)
}

// DecodeKnown is Decode for a body with none but known keys. A misspelt one, such as of dryRun, would do more than was asked for.
func (c *Call) DecodeKnown(into any) error {
	var sent map[string]json.RawMessage
	if err := c.Decode(&sent); err != nil {
		return err
	}
	known := keysOf(into)
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		if !slices.Contains(known, key) {
			return Unknown("key", key, known)
		}
	}
	data, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	return DecodeJSON(data, into)
}

// keysOf returns the keys of the document that a struct stands for.
func keysOf(into any) (keys []string) {
	for field := range reflect.TypeOf(into).Elem().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return keys
}

// DecodeOptional is Decode for a body that may be missing.
func (c *Call) DecodeOptional(into any) error {
	data, err := c.ReadBody()
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	return DecodeJSON(data, into)
}

// ReadBody returns the body of a request. One that is larger than Options.MaxBody is refused.
func (c *Call) ReadBody() ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, c.opts.MaxBody))
	if err == nil {
		return data, nil
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, Errorf(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	return nil, Invalid("the body cannot be read: %s", err).Because(err)
}
