package gcp

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Kinds of errors of the service, which are those of Google's Java library (operators 1.13).
const (
	kindAPI   = "google json response"
	kindToken = "token response"
)

// apiError is an answer of a service that is no success.
type apiError struct {
	status int
	body   string
}

// Error returns the text of Google's Java library: the status, and the error object in the answer.
func (e *apiError) Error() string {
	text := fmt.Sprintf("%d %s", e.status, http.StatusText(e.status))
	value, err := param.Parse(e.body)
	answer, isObject := value.(*param.Map)
	if err != nil || !isObject {
		if body := strings.TrimSpace(e.body); body != "" {
			text += "\n" + body
		}
		return text
	}
	object := answer
	if inner, _ := answer.Get("error"); inner != nil {
		if m, ok := inner.(*param.Map); ok {
			object = m
		}
	}
	return text + "\n" + pretty(object)
}

// lostError says that there was no answer, or no whole one. The request may have been carried out.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *lostError) Unwrap() error { return e.err }

// statusOf returns the status of the answer that an error is about; zero if it is about something else.
func statusOf(err error) int {
	if answer, ok := errors.AsType[*apiError](err); ok {
		return answer.status
	}
	return 0
}

// isMissing reports whether the service says that the thing does not exist.
func isMissing(err error) bool { return statusOf(err) == http.StatusNotFound }

// mayPass reports whether a request that failed may be sent again (operators 10.2).
func mayPass(err error) bool {
	if _, lost := errors.AsType[*lostError](err); lost {
		return true
	}
	status := statusOf(err)
	return isBusy(status) || status >= http.StatusInternalServerError
}

func isBusy(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests
}

// mayBeginLater reports whether the insertion of a job that failed may be sent again: any other answer than an error of the
// server is final, also that there were too many requests (operators 10.3).
func mayBeginLater(err error) bool {
	if _, lost := errors.AsType[*lostError](err); lost {
		return true
	}
	return statusOf(err) >= http.StatusInternalServerError
}

// worded gives an answer of a service the kind that tasks see.
func worded(err error) error {
	if _, known := errors.AsType[*operator.Error](err); known {
		return err
	}
	if answer, ok := errors.AsType[*apiError](err); ok {
		return &operator.Error{Kind: kindAPI, Message: answer.Error(), Err: err}
	}
	return err
}
