package rest

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/dig"
)

// errSlow is the cause when a request exceeds Options.RequestTimeout.
var errSlow = errors.New("the request took too long")

// statusOf maps kinds of errors to statuses (server 2.5).
func statusOf(err error) int {
	for _, row := range []struct {
		kind   error
		status int
	}{
		{access.ErrUnauthenticated, http.StatusUnauthorized},
		{access.ErrTooMany, http.StatusTooManyRequests},
		{trowel.ErrNotFound, http.StatusNotFound},
		{trowel.ErrConflict, http.StatusConflict},
		{trowel.ErrInvalid, http.StatusBadRequest},
		{trowel.ErrLimit, http.StatusBadRequest},
		{trowel.ErrDenied, http.StatusForbidden},
		{trowel.ErrUnavailable, http.StatusServiceUnavailable},
		{trowel.ErrCanceled, http.StatusServiceUnavailable},
	} {
		if errors.Is(err, row.kind) {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// errorOf turns any error into one with a status. The text of an internal error goes to the log; the caller gets only
// a reference to it.
func errorOf(c *Call, err error) *Error { return addTokenScope(c, classify(c, err)) }

func classify(c *Call, err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if broken, ok := errors.AsType[*dig.Error](err); ok {
		return Invalid("%s", broken.Message).Because(err)
	}
	status := statusOf(err)
	if errors.Is(err, errSlow) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		status = http.StatusServiceUnavailable
	}
	if status == http.StatusServiceUnavailable && len(localPathsIn(err)) > 0 {
		c.opts.Log.Error("request not served", slog.String("method", c.Request.Method), slog.String("path", c.Request.URL.Path), slog.Any("error", err))
	}
	if status != http.StatusInternalServerError {
		return Errorf(status, "%s", MessageOf(err)).Because(err)
	}
	reference := strings.ToLower(rand.Text()[:10])
	c.opts.Log.Error("request failed", slog.String("reference", reference), slog.String("method", c.Request.Method),
		slog.String("path", c.Request.URL.Path), slog.Any("error", err))
	return Errorf(status, "internal error, reference %s: see the server's log", reference).Because(err)
}

// MessageOf returns the text of an error for callers.
func MessageOf(err error) string {
	if known, ok := errors.AsType[*trowel.Error](err); ok {
		return known.Message
	}
	return withoutLocalPaths(err)
}

// IsRefusal reports whether an error says that a thing does not exist, or that the caller may not see it.
func IsRefusal(err error) bool {
	status := statusOf(err)
	if e, ok := errors.AsType[*Error](err); ok {
		status = e.status
	}
	return status == http.StatusNotFound || status == http.StatusForbidden
}
