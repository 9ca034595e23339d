package tdclient

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Types of errors, with which texts begin (operators 8.12).
const (
	typeInput      = "INVALID_INPUT"
	typeKey        = "AUTHENTICATION_FAILURE"
	typeNotFound   = "TARGET_NOT_FOUND"
	typeExists     = "TARGET_ALREADY_EXISTS"
	typeProxy      = "PROXY_AUTHENTICATION_FAILURE"
	typeClient     = "CLIENT_ERROR"
	typeServer     = "SERVER_ERROR"
	typeUnexpected = "UNEXPECTED_RESPONSE_CODE"
	typeJSON       = "INVALID_JSON_RESPONSE"
	typeConnection = "EXECUTION_FAILURE"
	typeTLS        = "SSL_ERROR"
)

// Error says why a request failed. Its text contains the path of the request, but nothing else that was sent.
type Error struct {
	Type   string
	Status int // of the answer; 0 without one
	// Conflict is the id of the job that has the same domain key. Empty if the answer named none.
	Conflict string
	// RetryAfter is how long the API asked to be left alone. Zero for nothing.
	RetryAfter time.Duration

	target  string // path and query of the request; empty for one that was not sent
	text    string // the API's words, or ours without an answer
	passing bool
	cause   error
}

func (e *Error) Error() string {
	switch {
	case e.Status != 0:
		return fmt.Sprintf("[%s] [%d:%s] API request to %s has failed: %s", e.Type, e.Status, http.StatusText(e.Status), e.target, e.text)
	case e.target != "":
		return fmt.Sprintf("[%s] API request to %s has failed: %s", e.Type, e.target, e.text)
	default:
		return fmt.Sprintf("[%s] %s", e.Type, e.text)
	}
}

// Unwrap returns what caused it.
func (e *Error) Unwrap() error { return e.cause }

// Kind returns Digdag's kind of the error (operators 1.13).
func (e *Error) Kind() string {
	switch e.Status {
	case 0:
		return "td client"
	case http.StatusUnauthorized:
		return "td client http unauthorized"
	case http.StatusNotFound:
		return "td client http not found"
	case http.StatusConflict:
		return "td client http conflict"
	case http.StatusTooManyRequests:
		return "td client http too many requests"
	default:
		return "td client http"
	}
}

// Passing reports whether the same request may succeed later.
func (e *Error) Passing() bool { return e.passing }

// refused reports whether the key was not accepted.
func (e *Error) refused() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// NotFound reports whether an error says that a thing does not exist.
func NotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// Exists reports whether an error says that a thing exists already.
func Exists(err error) bool { return hasStatus(err, http.StatusConflict) }

func hasStatus(err error, status int) bool {
	failure, ok := errors.AsType[*Error](err)
	return ok && failure.Status == status
}

// maxRefusal is how much of a refusal is read.
const maxRefusal = 64 << 10

// refusal returns the error of an answer that is no success.
func refusal(response *http.Response, r *request) *Error {
	data, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	if err != nil && response.StatusCode == http.StatusConflict {
		return broken(r, err) // it may name a job
	}
	e := &Error{Status: response.StatusCode, target: r.target(), RetryAfter: retryAfter(response.Header.Get("Retry-After"), time.Now())}
	e.text, e.Conflict = refusalText(data)
	e.Type, e.passing = classify(response.StatusCode)
	return e
}

func classify(status int) (name string, passing bool) {
	switch {
	case status == http.StatusUnauthorized:
		return typeKey, false
	case status == http.StatusNotFound:
		return typeNotFound, false
	case status == http.StatusConflict:
		return typeExists, false
	case status == http.StatusProxyAuthRequired:
		return typeProxy, false
	case status == http.StatusUnprocessableEntity:
		return typeInput, false
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		return typeClient, true
	case status/100 == 4:
		return typeClient, false
	case status/100 == 5:
		return typeServer, true
	default:
		return typeUnexpected, false
	}
}

// refusalText returns what a refusal says: its member text if it is JSON, or else all of it. conflict is the job that it names.
func refusalText(data []byte) (text, conflict string) {
	if !strings.HasPrefix(string(data), "{") {
		return strings.ToValidUTF8(string(data), "\uFFFD"), ""
	}
	var answer struct {
		Text    *string `json:"text"`
		Details struct {
			ConflictsWith ID `json:"conflicts_with"`
		} `json:"details"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || answer.Text == nil {
		return "null", string(answer.Details.ConflictsWith)
	}
	return *answer.Text, string(answer.Details.ConflictsWith)
}

// retryAfter reads the header: a number of seconds, or a date.
func retryAfter(header string, now time.Time) time.Duration {
	if header == "" {
		return 0
	}
	if seconds, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}

// broken returns the error of a request without an answer, or with a part of one. A certificate that is not
// accepted will not be the next time.
func broken(r *request, err error) *Error {
	e := &Error{Type: typeConnection, target: r.target(), text: "connection failure: " + reason(err), passing: true, cause: err}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		e.Type, e.passing = typeTLS, false
	}
	return e
}

// reason returns what went wrong without the address, which stands beside it.
func reason(err error) string {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return err.Error()
}

// ID is an id that the API gives as a number or as text.
type ID string

// UnmarshalJSON implements json.Unmarshaler.
func (id *ID) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text == "null" {
		return nil
	}
	if strings.HasPrefix(text, `"`) {
		return json.Unmarshal(data, (*string)(id))
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return err
	}
	*id = ID(number)
	return nil
}
