package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
)

// Server answers requests. It is an http.Handler; Admin is the handler of the admin listener.
type Server struct {
	opts    Options
	router  *router
	admin   bool
	gates   *gates
	origins *origins
	tokens  *tokenWatch
}

// gates are shared by all listeners of a server.
type gates struct {
	closed    atomic.Bool
	unchanged atomic.Pointer[trowel.Error] // why the server changes nothing any more; nil if it still may
}

// New returns a server for some routes. It adds the paths of the API document.
func New(opts Options, routes []Route) *Server {
	d := &document{version: opts.Version}
	d.routes = slices.Concat(routes, d.ownRoutes(opts.Swagger))
	return &Server{
		opts: opts, router: newRouter(d.routes), gates: &gates{}, tokens: newTokenWatch(&opts),
		origins: &origins{names: opts.Names, swagger: opts.Swagger, signIn: opts.SignIn},
	}
}

// Admin returns the same server for the admin listener, which also answers below /api/admin.
func (s *Server) Admin() http.Handler {
	admin := *s
	admin.admin = true
	return &admin
}

// Close makes the server refuse all further requests with 503.
func (s *Server) Close() { s.gates.closed.Store(true) }

// StopChanges makes the server refuse all further requests that change something, with 503 and the cause. It still
// takes what remote agents report.
func (s *Server) StopChanges(cause error) {
	s.gates.unchanged.Store(&trowel.Error{
		Kind: trowel.ErrUnavailable, Message: "this server changes nothing any more: " + cause.Error(), Hint: "ask another server",
	})
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := s.opts.Now()
	rec := &recorder{ResponseWriter: w}
	defer func() {
		if cause := recover(); cause != nil {
			s.panicked(rec, r, cause)
		}
		if s.opts.AccessLog != nil {
			s.opts.AccessLog(accessEntry(r, rec, began, s.opts.Now()))
		}
		if s.opts.Observe != nil {
			s.opts.Observe(s.routeName(r), rec.answered(), s.opts.Now().Sub(began))
		}
	}()
	if s.gates.closed.Load() {
		rec.Header().Set("Connection", "close")
		http.Error(rec, "the server is shutting down", http.StatusServiceUnavailable)
		return
	}
	path := r.URL.EscapedPath()
	ofAPI := path == "/api" || strings.HasPrefix(path, "/api/")
	if ofAPI {
		s.addHeaders(rec.Header())
	}
	if refused := s.origins.check(r); refused != nil {
		s.newCall(rec, r).answerError(refused)
		return
	}
	if ofAPI || path == "/metrics" { // the UI answers nothing that is not for everybody, and reads the theme from a cookie of its own
		keepOwnCookie(r)
		if r.Header.Get("Cookie") != "" {
			protect(rec.Header())
		}
	}
	switch {
	case r.Method == http.MethodTrace:
		trace(rec, r)
	case r.Method == http.MethodOptions && r.RequestURI == "*": // about the server as such
	case ofAPI:
		s.serveAPI(rec, r, path)
	case path == "/metrics" && s.opts.Metrics != nil:
		s.serveMetrics(rec, r)
	default:
		s.serveUI(rec, r)
	}
}

// addHeaders adds the headers that all answers below /api have.
func (s *Server) addHeaders(header http.Header) {
	for name, value := range s.opts.Headers {
		header.Set(name, value)
	}
	if s.opts.Swagger {
		allowOrigins(header)
	}
}

// protect keeps other pages of the browser from using an answer to somebody who is signed in, as a script or an image.
func protect(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// RecheckLogins checks at once all lasting requests of browsers that are signed in. It is called when a login or a token may
// have ended, and does not block.
func (s *Server) RecheckLogins() { s.tokens.recheckLogins() }

// serveAPI finds the route of a request and answers it. It authenticates first, so that strangers do not
// learn which paths exist.
func (s *Server) serveAPI(w *recorder, r *http.Request, path string) {
	c := s.newCall(w, r)
	c.Now = s.opts.Now()
	f, known := s.router.find(path)
	if r.Method == http.MethodOptions {
		s.options(w, r, f, known)
		return
	}
	if !known || !f.open(r.Method) {
		caller, err := s.opts.Auth.Admit(r.Context(), r.RemoteAddr, r.Header)
		if err != nil {
			c.answer(nil, err)
			return
		}
		c.Caller = caller
	}
	c.match = f
	defer func() {
		if c.release != nil {
			c.release()
		}
	}()
	c.answer(s.handle(r.Context(), c, known))
}

// newCall returns a call without a route.
func (s *Server) newCall(w http.ResponseWriter, r *http.Request) *Call {
	return &Call{opts: &s.opts, recheckLogins: s.tokens.recheckLogins, Writer: w, Request: r, context: r.Context()}
}

// handle checks the request and calls the handler of its route.
func (s *Server) handle(ctx context.Context, c *Call, known bool) (any, error) {
	if !known {
		return nil, ErrNoPath
	}
	c.Route = c.match.methods[readMethod(c.Request.Method)]
	if c.Route == nil {
		c.Writer.Header().Set("Allow", c.match.allowed())
		return nil, BareError(http.StatusMethodNotAllowed)
	}
	if strings.HasPrefix(c.Route.Path, "/api/admin/") && !s.admin {
		return nil, ErrNoPath
	}
	if c.Caller.Role == access.RoleAgent && c.Route.Verb != access.RunAgent && c.Route.Verb != "" {
		return nil, onlyAgent(c.Caller)
	}
	if err := c.Authorize(c.Caller.Project); err != nil {
		return nil, err // the role allows this for no project, so the body is not read
	}
	if cause := s.gates.unchanged.Load(); cause != nil && readMethod(c.Request.Method) != http.MethodGet && c.Route.Verb != access.RunAgent {
		return nil, cause
	}
	if err := checkBody(c); err != nil {
		return nil, err
	}
	if err := decompress(c); err != nil {
		return nil, err
	}
	c.Query = c.Request.URL.Query()
	if c.Route.Long {
		c.release = s.tokens.watch(ctx, c)
	} else {
		ctx, cancel := context.WithTimeoutCause(ctx, s.opts.RequestTimeout, errSlow)
		defer cancel()
		c.context = ctx
	}
	return c.Route.Handle(c)
}

// onlyAgent is the error for an agent's token on a path that is not for agents.
func onlyAgent(caller access.Caller) error {
	return Errorf(http.StatusForbidden, "the token of %s is for a remote agent, and for nothing else", caller.Name)
}

// routeName names the route of a request for metrics.
func (s *Server) routeName(r *http.Request) string {
	path := r.URL.EscapedPath()
	if path == "/metrics" {
		return "metrics"
	}
	if path != "/api" && !strings.HasPrefix(path, "/api/") {
		return "ui"
	}
	if f, known := s.router.find(path); known {
		if found := f.methods[readMethod(r.Method)]; found != nil {
			return found.Name
		}
	}
	return "none"
}
