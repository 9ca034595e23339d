package rest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Codes of errors, for programs. They never change meaning. Digdag's own paths have none (docs/rest.md).
const (
	CodeInvalid     = "invalid"      // the value named by where makes no sense
	CodeNotFound    = "not_found"    // there is no such thing
	CodeChanged     = "changed"      // it is not in the state that the request expects (412)
	CodeBuiltIn     = "built_in"     // it cannot be deleted
	CodePaused      = "paused"       // the workflow is already paused
	CodeNotPaused   = "not_paused"   // the workflow is not paused
	CodeNotDraining = "not_draining" // the agent is not draining
	CodeForeign     = "foreign"      // the request may come from a page of another origin
	CodeNoSignIn    = "no_sign_in"   // nobody signs in to this server
	CodeSignedOut   = "signed_out"   // the browser is not signed in, or not any more
	CodeLogOff      = "log_off"      // the server keeps no output of tasks
)

// Error is an error with an HTTP status of its own. The status of other errors is in statusOf.
type Error struct {
	status            int
	message           string
	code, where, hint string
	findings          []dig.Finding
	body              any  // replaces the usual document; may be nil
	bare              bool // the answer has no body at all
	cause             error
}

// ErrNoPath answers a path, an id or a query value that has the wrong form (server 2.1).
var ErrNoPath error = BareError(http.StatusNotFound)

// Errorf returns an error with a status and a message.
func Errorf(status int, format string, args ...any) *Error {
	return &Error{status: status, message: fmt.Sprintf(format, args...)}
}

// BareError returns an error whose answer has no body.
func BareError(status int) *Error { return &Error{status: status, bare: true} }

// ErrorDocument returns an error whose answer has a document of its own.
func ErrorDocument(status int, document any) *Error { return &Error{status: status, body: document} }

// Invalid is the error of a request that makes no sense (400).
func Invalid(format string, args ...any) *Error {
	return Errorf(http.StatusBadRequest, format, args...)
}

// InvalidValue is Invalid for a field or a parameter of Trowel's own paths.
func InvalidValue(where, format string, args ...any) *Error {
	e := Invalid(format, args...)
	e.code, e.where = CodeInvalid, where
	return e
}

// NoResource is the error for something that does not exist (404), in Digdag's words. Its answer has CodeNotFound on Trowel's own paths.
func NoResource(format string, args ...any) *Error {
	return Errorf(http.StatusNotFound, "%s", trowel.NotFound(format, args...).Message)
}

// OrNoResource turns trowel.ErrNotFound into NoResource. It returns other errors as they are.
func OrNoResource(err error, format string, args ...any) error {
	if errors.Is(err, trowel.ErrNotFound) {
		return NoResource(format, args...)
	}
	return err
}

// NotFound is NoResource in words of Trowel's, for its own paths.
func NotFound(format string, args ...any) *Error {
	return withCode(http.StatusNotFound, CodeNotFound, format, args...)
}

// OrNotFound turns trowel.ErrNotFound into NotFound with a hint. It returns other errors as they are.
func OrNotFound(err error, hint, format string, args ...any) error {
	if errors.Is(err, trowel.ErrNotFound) {
		return NotFound(format, args...).WithHint(hint)
	}
	return err
}

// Conflict is the error of a request that the state of a thing does not allow (409).
func Conflict(code, format string, args ...any) *Error {
	return withCode(http.StatusConflict, code, format, args...)
}

// Unknown is the error of a request with a key or parameter, as kind says, that is not among the known ones. A misspelt one
// would do, or find, more than was asked for.
func Unknown(kind, name string, known []string) *Error {
	wrong := InvalidValue(name, "there is no %s %q: there are %s", kind, name, strings.Join(known, ", "))
	if near := param.Similar(name, known); len(near) > 0 {
		return wrong.WithHint("did you mean " + near[0] + "?")
	}
	return wrong
}

// CheckPrecondition refuses a write if a thing is not in the state that the request expects (412). A request
// that expects nothing passes.
func CheckPrecondition(expected, state, what string) error {
	if expected == "" || expected == state {
		return nil
	}
	return withCode(http.StatusPreconditionFailed, CodeChanged, "%s has changed since it was looked at", what).
		WithHint("look at it again, and send the new value of expect")
}

func withCode(status int, code, format string, args ...any) *Error {
	e := Errorf(status, format, args...)
	e.code = code
	return e
}

// WithHint says how to go on.
func (e *Error) WithHint(hint string) *Error {
	e.hint = hint
	return e
}

// WithCode replaces the code.
func (e *Error) WithCode(code string) *Error {
	e.code = code
	return e
}

// WithFindings adds what is wrong with a project.
func (e *Error) WithFindings(findings []dig.Finding) *Error {
	e.findings = findings
	return e
}

// Because adds the cause, which errors.Is finds.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error implements error.
func (e *Error) Error() string {
	if e.bare {
		return http.StatusText(e.status)
	}
	return e.message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// document is the body of the answer.
func (e *Error) document() any {
	if e.body != nil {
		return e.body
	}
	shape := api.Error{Status: e.status, Code: e.code, Where: e.where, Hint: e.hint}
	if e.message != "" {
		shape.Message = &e.message
	}
	for _, f := range e.findings {
		shape.Findings = append(shape.Findings, api.Finding{
			File: f.File, Line: f.Line, Column: f.Column, Severity: f.Severity.String(), Rule: f.Rule, Message: f.Message, Source: f.Source, Hint: f.Hint, ID: f.ID,
		})
	}
	return shape
}
