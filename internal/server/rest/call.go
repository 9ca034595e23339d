package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
)

// Call is one request on its way through a handler.
type Call struct {
	opts    *Options
	Writer  http.ResponseWriter
	Request *http.Request
	context context.Context //nolint:containedctx // of the handler
	Route   *Route
	found   found
	Query   url.Values
	Caller  access.Caller
	within  bool   // the caller's only project was found
	release func() // to be called after the answer; may be nil
	Now     time.Time
}

// Ctx is the context of the handler, which ends earlier than the request's.
func (c *Call) Ctx() context.Context { return c.context }

// Number returns the value of one of the path's placeholders for numbers, the first being 0.
func (c *Call) Number(i int) int64 { return c.found.numbers[i] }

// Text returns the value of the path's only placeholder for a text.
func (c *Call) Text() string { return c.found.texts[0] }

// Admit finds out who calls. Paths that are open to everybody ask it themselves.
func (c *Call) Admit() (access.Caller, error) {
	return c.opts.Auth.Admit(c.Ctx(), c.Request.RemoteAddr, c.Request.Header)
}

// Clock is the present instant. now is that at which the request came.
func (c *Call) Clock() time.Time { return c.opts.Now() }

// Store is where everything is kept. A handler that needs one transaction uses view or update.
func (c *Call) Store() trowel.Store { return c.opts.Store }

// Log is the log of the server.
func (c *Call) Log() *slog.Logger { return c.opts.Log }

// Afterwards is a context for what must still be done when the request is over, and ends after the usual time of a request.
func (c *Call) Afterwards() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.Ctx()), c.opts.RequestTimeout)
}

// View reads from the store.
func (c *Call) View(f func(tx trowel.Tx) error) error {
	return c.opts.Store.View(c.Ctx(), f)
}

// Update changes the store.
func (c *Call) Update(f func(tx trowel.Tx) error) error {
	return c.opts.Store.Update(c.Ctx(), f)
}

// May refuses a caller who may not do what the route does with a project. Whether a thing exists is
// said first (server 3.6).
func (c *Call) May(project trowel.ProjectID) error {
	if c.Route.Verb == "" || c.Caller.May(c.Route.Verb, project) {
		return nil
	}
	return Errorf(http.StatusForbidden, "%s", c.Caller.Denial(c.Route.Verb, project))
}
