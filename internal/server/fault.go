package server

import (
	"errors"
	"fmt"
	"net/http"

	trowel "github.com/trowel-project/trowel"
)

// Words for programs in the errors of Trowel's own paths (ui.md, section 4). They never change meaning.
const (
	codeInvalid     = "invalid"      // a value that makes no sense; where names it
	codeNotFound    = "not_found"    // no such thing
	codeChanged     = "changed"      // it is not as the request expects it (412)
	codeBuiltIn     = "built_in"     // it cannot be deleted
	codePaused      = "paused"       // the workflow is paused already
	codeNotPaused   = "not_paused"   // the workflow is not paused
	codeNotDraining = "not_draining" // the agent is not told to take nothing new
)

// fault refuses a request to one of Trowel's own paths.
func fault(status int, code, format string, args ...any) *refusal {
	return &refusal{status: status, code: code, message: fmt.Sprintf(format, args...)}
}

// wrongValue is the fault of a field or a parameter that makes no sense.
func wrongValue(where, format string, args ...any) *refusal {
	r := fault(http.StatusBadRequest, codeInvalid, format, args...)
	r.where = where
	return r
}

// hinting adds how to go on.
func (r *refusal) hinting(hint string) *refusal {
	r.hint = hint
	return r
}

// unknown turns ErrNotFound into the fault of a thing that is not there.
func unknown(err error, hint, format string, args ...any) error {
	if errors.Is(err, trowel.ErrNotFound) {
		return fault(http.StatusNotFound, codeNotFound, format, args...).hinting(hint)
	}
	return err
}

// expecting refuses a write if the state of a thing is not the one that the request wants.
func expecting(wanted, state, what string) error {
	if wanted == "" || wanted == state {
		return nil
	}
	return fault(http.StatusPreconditionFailed, codeChanged, "%s has changed since it was looked at", what).
		hinting("look at it again, and send the new value of expect")
}
