package remotecmd

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"github.com/trowel-project/trowel/internal/client"
)

// scopeError is an error about a name that there is not, for who has a token that sees one project alone.
type scopeError struct {
	err     error
	project string
}

func (e *scopeError) Error() string { return e.err.Error() }

// Unwrap gives the error itself to errors.Is and errors.As.
func (e *scopeError) Unwrap() error { return e.err }

// withinScope adds to an error about a name for which project alone the token is, if it is for one. A list does not
// say so, as the refusal of an id does.
func withinScope(ctx context.Context, server *client.Client, err error) error {
	_, errByID := server.ProjectByID(ctx, 0) // there is none
	if project := tokenScope(errByID); project != "" {
		return &scopeError{err, project}
	}
	return err
}

// scopeNote matches how a server says that a thing may be hidden from a token, or is refused to it.
var scopeNote = regexp.MustCompile(`(?s)(?:\(|: )the token is for the project ([^)]+?)(?:\)|, and .*)?$`)

// tokenScope is the only project that the token sees by whose project a server refused something; empty if that is
// not the reason.
func tokenScope(err error) string {
	if scope, ok := errors.AsType[*scopeError](err); ok {
		return scope.project
	}
	refused, ok := errors.AsType[*client.StatusError](err)
	if !ok || refused.Code != http.StatusNotFound && refused.Code != http.StatusForbidden {
		return ""
	}
	if message := refused.Answer().Message; message != nil {
		if found := scopeNote.FindStringSubmatch(*message); found != nil {
			return found[1]
		}
	}
	return ""
}
