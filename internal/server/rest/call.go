package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
)

// Call is one request and what its handler needs.
type Call struct {
	Writer  http.ResponseWriter
	Request *http.Request
	Route   *Route
	Query   url.Values
	Caller  access.Caller
	Now     time.Time // when the request came

	opts    *Options
	context context.Context //nolint:containedctx // of the handler
	match   found
	inScope bool   // the request found something of the caller's only project
	release func() // called after the answer; may be nil

	recheckLogins func()
}

// RecheckLogins ends lasting requests of browsers whose login has ended. It is called after a change that may end some.
func (c *Call) RecheckLogins() { c.recheckLogins() }

// FromElsewhere reports whether a page of another origin made a browser send the request.
func (c *Call) FromElsewhere() bool { return fromElsewhere(c.Request) }

// SetCookie gives the browser a value to sign its requests with; an empty one takes it away. The cookie is only sent with
// requests below the folder of the present one, which is that of the API wherever a proxy has put it.
func (c *Call) SetCookie(value string, lasts time.Duration) {
	cookie := &http.Cookie{
		Name: cookieName(c.Request), Value: value, MaxAge: int(lasts / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: c.Request.TLS != nil || strings.HasPrefix(c.Request.Header.Get("Origin"), "https:"),
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(c.Writer, cookie)
}

// Ctx is the context of the handler. It may end before that of the request.
func (c *Call) Ctx() context.Context { return c.context }

// PathNumber returns the value of the i-th number in the path, from 0.
func (c *Call) PathNumber(i int) int64 { return c.match.numbers[i] }

// PathText returns the value of the only text in the path.
func (c *Call) PathText() string { return c.match.texts[0] }

// Admit authenticates the caller. Only handlers of open routes need it.
func (c *Call) Admit() (access.Caller, error) {
	return c.opts.Auth.Admit(c.Ctx(), c.Request.RemoteAddr, c.Request.Header)
}

// Clock returns the present time. Now does not change during a request.
func (c *Call) Clock() time.Time { return c.opts.Now() }

// Store is for functions that open transactions themselves. Handlers use View and Update.
func (c *Call) Store() trowel.Store { return c.opts.Store }

// Log returns the server's log.
func (c *Call) Log() *slog.Logger { return c.opts.Log }

// CleanupContext returns a context for work that must be done even if the request was canceled. It has a timeout of its own.
func (c *Call) CleanupContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.Ctx()), c.opts.RequestTimeout)
}

// View runs a read transaction.
func (c *Call) View(f func(tx trowel.Tx) error) error {
	return c.opts.Store.View(c.Ctx(), f)
}

// Update runs a write transaction.
func (c *Call) Update(f func(tx trowel.Tx) error) error {
	return c.opts.Store.Update(c.Ctx(), f)
}

// Authorize returns an error if the caller may not do what the route does in a project. Handlers check first
// whether the thing exists (server 3.6).
func (c *Call) Authorize(project trowel.ProjectID) error {
	if c.Route.Verb == "" || c.Caller.May(c.Route.Verb, project) {
		return nil
	}
	return Errorf(http.StatusForbidden, "%s", c.Caller.Denial(c.Route.Verb, project))
}
