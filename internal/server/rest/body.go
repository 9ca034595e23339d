package rest

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
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
