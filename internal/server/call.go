package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
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

// number and text return the values of the path's placeholders. No path has two of a kind.
func (c *call) number() int64 { return c.found.numbers[0] }
func (c *call) text() string  { return c.found.texts[0] }

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

// intParam reads an integer of the query; one that is no integer is a path that does not exist
// (server 2.1).
func (c *call) intParam(name string, bits int, missing int64) (int64, error) {
	values, given := c.query[name]
	if !given {
		return missing, nil
	}
	n, err := strconv.ParseInt(values[0], 10, bits)
	if err != nil {
		return 0, ErrNoPath
	}
	return n, nil
}

// flagParam reads a boolean of the query: everything but true is false (server 2.1).
func (c *call) flagParam(name string) bool { return strings.EqualFold(c.query.Get(name), "true") }

// checkBody refuses a content type that the route does not read (server 2.1).
func checkBody(c *call) error {
	types := c.route.body.types
	if len(types) == 0 {
		return nil
	}
	header := c.r.Header.Get("Content-Type")
	if header == "" && c.route.body.optional {
		return nil
	}
	given, _, err := mime.ParseMediaType(header)
	if err == nil {
		for _, wanted := range types {
			if strings.EqualFold(given, wanted) {
				return nil
			}
		}
	}
	return Invalid("the content type must be %s, got %q", strings.Join(types, " or "), header)
}

// decode reads the JSON body of a request.
func (c *call) decode(into any) error {
	data, err := c.readBody()
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Invalid("the body is empty, want a JSON object")
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return Invalid("the body is null, want a JSON object")
	}
	return decodeJSON(data, into)
}

// decodeOptional is decode for a body that may be missing.
func (c *call) decodeOptional(into any) error {
	data, err := c.readBody()
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	return decodeJSON(data, into)
}

func (c *call) readBody() ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, c.opts.MaxBody))
	if err == nil {
		return data, nil
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, Errorf(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	return nil, Invalid("the body cannot be read: %s", err).Because(err)
}

// idName refers to a project.
func idName(p trowel.Project) api.IDName { return api.IDName{ID: api.ID(p.ID), Name: p.Name} }
