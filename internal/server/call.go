package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
)

// call is one request on its way through a handler.
type call struct {
	opts    *RESTOptions
	w       http.ResponseWriter
	r       *http.Request
	context context.Context //nolint:containedctx // of the handler
	route   *route
	found   found
	query   url.Values
	caller  access.Caller
	within  bool   // the caller's only project was found
	release func() // to be called after the answer; may be nil
	now     time.Time
}

// ctx is the context of the handler, which ends earlier than the request's.
func (c *call) ctx() context.Context { return c.context }

// number returns the value of one of the path's placeholders for numbers, the first being 0.
func (c *call) number(i int) int64 { return c.found.numbers[i] }

// text returns the value of the path's only placeholder for a text.
func (c *call) text() string { return c.found.texts[0] }

// admit finds out who calls. Paths that are open to everybody ask it themselves.
func (c *call) admit() (access.Caller, error) {
	return c.opts.Auth.Admit(c.ctx(), c.r.RemoteAddr, c.r.Header)
}

// clock is the present instant. now is that at which the request came.
func (c *call) clock() time.Time { return c.opts.Now() }

// store is where everything is kept. A handler that needs one transaction uses view or update.
func (c *call) store() trowel.Store { return c.opts.Store }

// log is the log of the server.
func (c *call) log() *slog.Logger { return c.opts.Log }

// afterwards is a context for what must still be done when the request is over, and ends after the usual time of a request.
func (c *call) afterwards() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.ctx()), c.opts.RequestTimeout)
}

// view reads from the store.
func (c *call) view(f func(tx trowel.Tx) error) error {
	return c.opts.Store.View(c.ctx(), f)
}

// update changes the store.
func (c *call) update(f func(tx trowel.Tx) error) error {
	return c.opts.Store.Update(c.ctx(), f)
}

// may refuses a caller who may not do what the route does with a project. Whether a thing exists is
// said first (server 3.6).
func (c *call) may(project trowel.ProjectID) error {
	if c.route.verb == "" || c.caller.May(c.route.verb, project) {
		return nil
	}
	return Errorf(http.StatusForbidden, "%s", c.caller.Denial(c.route.verb, project))
}
