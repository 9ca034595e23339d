package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
)

// StatusError is an answer that refuses a request. As in Digdag's client it also stands for a
// thing that is missing in a list (server 1.7.3).
type StatusError struct {
	Code int // HTTP status of the answer
	// Text comes after the meaning of the code: it is the body of the answer, or HTTP CODE REASON
	// for an answer to GET.
	Text string
	// Body is the body of the answer. Nil if there was no answer.
	Body []byte
	// Told reports whether Text contains everything that the server said.
	Told bool
	// Request is the request, such as "PUT /api/attempts". Empty if something is missing in a list.
	Request string
	// Endpoint is the server that answered, such as http://127.0.0.1:65432.
	Endpoint string
	// Location is where a redirect leads. Empty for none.
	Location string
}

// Foreign reports whether the answer cannot come from a Trowel or Digdag server: it has a body that is not
// JSON, leads elsewhere, or denies a path that every such server has.
func (e *StatusError) Foreign() bool {
	body := bytes.TrimSpace(e.Body)
	switch {
	case e.Location != "":
		return true
	case len(body) > 0:
		return !json.Valid(body) || body[0] != '{'
	}
	return e.Code == http.StatusNotFound && strings.HasPrefix(e.Request, "GET /api/version")
}

// Error returns Digdag's text.
func (e *StatusError) Error() string {
	switch e.Code {
	case http.StatusNotFound:
		return "Resource not found: " + e.Text
	case http.StatusConflict:
		return "Request conflicted: " + e.Text
	case http.StatusUnprocessableEntity:
		return "Invalid option: " + e.Text
	default:
		return fmt.Sprintf("Status code %d: %s", e.Code, e.Text)
	}
}

// Answer returns the body of the answer if it has the form of an error, and the zero Error otherwise.
func (e *StatusError) Answer() api.Error {
	var answer api.Error
	if json.Unmarshal(e.Body, &answer) != nil {
		return api.Error{}
	}
	return answer
}

// missing returns the error about something that is missing in a list.
func missing(format string, args ...any) error {
	return &StatusError{Code: http.StatusNotFound, Text: fmt.Sprintf(format, args...), Told: true}
}

// refusal returns the error for an answer. The body of an answer to GET is not in its text, because Digdag's client
// has already read it when it makes the text. Findings, which Digdag does not have, are not in the text either.
func refusal(method string, res *http.Response, body []byte) error {
	e := &StatusError{
		Code: res.StatusCode, Text: string(body), Body: body, Told: true,
		Request: method + " " + res.Request.URL.Path, Endpoint: res.Request.URL.Scheme + "://" + res.Request.URL.Host,
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		e.Location = res.Header.Get("Location")
	}
	if method == http.MethodGet || len(body) == 0 {
		e.Text, e.Told = fmt.Sprintf("HTTP %d %s", res.StatusCode, http.StatusText(res.StatusCode)), false
		return e
	}
	if answer := e.Answer(); len(answer.Findings) > 0 {
		answer.Findings = nil
		var text strings.Builder
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if encoder.Encode(answer) == nil {
			e.Text = strings.TrimSpace(text.String())
		}
	}
	return e
}

// ForeignError says that the answer comes from neither a Trowel nor a Digdag server.
type ForeignError struct {
	Request  string // such as "GET /api/version/check"
	Endpoint string
	Err      error
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("read the answer to %s: %v", e.Request, e.Err)
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *ForeignError) Unwrap() error { return e.Err }

// UnreachableError says that there was no answer.
type UnreachableError struct {
	Endpoint string
	Err      error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("cannot reach the server at %s: %v", e.Endpoint, e.Err)
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *UnreachableError) Unwrap() error { return e.Err }
