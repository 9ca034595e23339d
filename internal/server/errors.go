package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
)

// refusal is an error with a status of its own.
type refusal struct {
	status   int
	message  string
	findings []dig.Finding
	// code, where and hint are told by Trowel's own paths, see fault.
	code, where, hint string
	// body replaces the usual {"message", "status"}.
	body any
	// bare tells that there is no body at all.
	bare bool
	err  error
}

func (r *refusal) Error() string {
	if r.bare {
		return http.StatusText(r.status)
	}
	return r.message
}

func (r *refusal) Unwrap() error { return r.err }

// errNoPath is the answer to a path, an id or a query value that does not fit (server 2.1).
var errNoPath error = &refusal{status: http.StatusNotFound, bare: true}

// statusOf is the table of kinds of errors (server 2.5).
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

// refuse makes the answer of an error. What is our own fault is only told to the log, with a
// reference that the caller gets.
func (c *call) refuse(err error) *refusal { return scoped(c, c.refusalOf(err)) }

func (c *call) refusalOf(err error) *refusal {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	if broken, ok := errors.AsType[*dig.Error](err); ok {
		return &refusal{status: http.StatusBadRequest, message: broken.Message, err: err}
	}
	status := statusOf(err)
	if errors.Is(err, errSlow) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		status = http.StatusServiceUnavailable
	}
	if status == http.StatusServiceUnavailable && len(placesIn(err)) > 0 {
		c.opts.Log.Error("request not served", slog.String("method", c.r.Method), slog.String("path", c.r.URL.Path), slog.Any("error", err))
	}
	if status != http.StatusInternalServerError {
		return &refusal{status: status, message: messageOf(err), err: err}
	}
	reference := strings.ToLower(rand.Text()[:10])
	c.opts.Log.Error("request failed", slog.String("reference", reference), slog.String("method", c.r.Method),
		slog.String("path", c.r.URL.Path), slog.Any("error", err))
	return &refusal{status: status, message: fmt.Sprintf("internal error, reference %s: see the server's log", reference), err: err}
}

// messageOf is the sentence of an error for callers.
func messageOf(err error) string {
	if known, ok := errors.AsType[*trowel.Error](err); ok {
		return known.Message
	}
	return withoutPlaces(err)
}

// document is the body of a refusal.
func (r *refusal) document() any {
	if r.body != nil {
		return r.body
	}
	e := api.Error{Status: r.status, Code: r.code, Where: r.where, Hint: r.hint}
	if r.message != "" {
		e.Message = &r.message
	}
	for _, f := range r.findings {
		e.Findings = append(e.Findings, api.Finding{
			File: f.File, Line: f.Line, Column: f.Column, Severity: f.Severity.String(), Rule: f.Rule, Message: f.Message, Source: f.Source, Hint: f.Hint, ID: f.ID,
		})
	}
	return e
}
