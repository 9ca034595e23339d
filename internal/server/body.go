package server

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

// checkBody refuses a content type that the route does not read (server 2.1).
func checkBody(c *call) error {
	types := c.route.body.types
	if len(types) == 0 {
		return nil
	}
	header := c.r.Header.Get("Content-Type")
	if header == "" && c.route.body.optional {
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

// decode reads the JSON body of a request.
func (c *call) decode(into any) error {
	data, err := c.readBody()
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Invalid("the body is empty, want a JSON object")
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return Invalid("the body is null, want a JSON object")
	}
	return decodeJSON(data, into)
}

// decodeOptional is decode for a body that may be missing.
func (c *call) decodeOptional(into any) error {
	data, err := c.readBody()
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	return decodeJSON(data, into)
}

func (c *call) readBody() ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, c.opts.MaxBody))
	if err == nil {
		return data, nil
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, Errorf(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	return nil, Invalid("the body cannot be read: %s", err).Because(err)
}
