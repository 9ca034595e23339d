package remotecmd

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"github.com/trowel-project/trowel/internal/client"
)

// scopeError is an error about a name that does not exist, for a caller whose token sees only one project.
type scopeError struct {
	err     error
	project string
}

func (e *scopeError) Error() string { return e.err.Error() }

// Unwrap returns the error without the project.
func (e *scopeError) Unwrap() error { return e.err }

// withinScope adds to an error about a name the project that the token is restricted to, if there is one. A list does
// not say so, but the refusal of an id does.
func withinScope(ctx context.Context, server *client.Client, err error) error {
	_, errByID := server.ProjectByID(ctx, 0) // no project has this id
	if project := tokenScope(errByID); project != "" {
		return &scopeError{err, project}
	}
	return err
}

// scopeNote matches the texts by which a server says that something is hidden from a token or refused to it.
var scopeNote = regexp.MustCompile(`(?s)(?:\(|: )the token is for the project ([^)]+?)(?:\)|, and .*)?$`)

// tokenScope returns the project that the token is restricted to, if that is the reason of a refusal; otherwise it is
// empty.
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
