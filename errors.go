package trowel

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of errors. errors.Is(err, trowel.ErrNotFound) holds for every Error of that kind, however often it
// was wrapped.
var (
	ErrNotFound    = errors.New("not found")     // there is no such thing, or it is deleted
	ErrConflict    = errors.New("conflict")      // the stored state is another than expected
	ErrInvalid     = errors.New("invalid")       // the caller's input is wrong
	ErrLimit       = errors.New("limit reached") // a limit of the site, project or workflow forbids it
	ErrDenied      = errors.New("denied")        // the caller may not do this
	ErrUnavailable = errors.New("unavailable")   // something needed is away; the same call may succeed later
	ErrCanceled    = errors.New("canceled")      // somebody stopped it
	ErrInternal    = errors.New("internal")      // a mistake in this program
)

// ErrTaken is an ErrConflict that says no more than that a name is taken. The transaction may go on after it.
var ErrTaken = fmt.Errorf("%w: the name is taken", ErrConflict)

// Error is a failure for people: what could not be done, where, and how to go on.
type Error struct {
	Kind    error  // one of the sentinels above
	Message string // what could not be done, with the reader's own names
	Where   string // file:line:column or the like; may be empty
	Hint    string // how to go on; may be empty
	Err     error  // what caused it; may be nil
}

// Error returns the message with place and cause, but without the hint.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.Message)
	if e.Where != "" {
		text.WriteString(" at " + e.Where)
	}
	if e.Err != nil {
		text.WriteString(": " + e.Err.Error())
	}
	return text.String()
}

// Unwrap gives the kind and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
