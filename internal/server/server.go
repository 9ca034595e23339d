package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/tasklog"
)

// Launcher begins attempts.
type Launcher interface {
	Start(ctx context.Context, r launch.Request) (*trowel.AttemptSummary, error)
}

// Killer stops attempts.
type Killer interface {
	// KillBy asks all tasks of an attempt to stop, and stores the record with it. One that is done, or
	// waits for its turn, is an ErrConflict.
	KillBy(ctx context.Context, id trowel.AttemptID, actor string, record *trowel.Record) error
}

// Authenticator tells who calls. An access.Authenticator is one.
type Authenticator interface {
	// Admit lets in who sends a request from an address, IP:PORT. Who tries too often gets an access.ErrTooMany.
	Admit(ctx context.Context, remote string, header http.Header) (access.Caller, error)
	// Authenticate is Admit for somebody who was let in before.
	Authenticate(ctx context.Context, header http.Header) (access.Caller, error)
}

// Options are what a Server works with. All but those that say so are required.
type Options struct {
	Store    trowel.Store
	Launcher Launcher
	Killer   Killer
	Auth     Authenticator
	// Archives keep the files of revisions by their type; new ones go to ArchiveType.
	Archives    map[string]blob.Store
	ArchiveType string
	// DirectDownload has the types whose archives may be fetched from their store itself.
	DirectDownload map[string]bool
	Logs           *tasklog.Reader // nil if no output is kept
	Agents         *hub.Hub        // serves remote agents; nil if there can be none
	Crypter        *secret.Crypter
	Events         *Events
	Health         *Health
	Metrics        http.Handler // of /metrics; may be nil
	UI             http.Handler // of everything outside /api; may be nil
	Now            func() time.Time
	Log            *slog.Logger
	AccessLog      func(Access) // may be nil
	// Observe is told of every answer: the name of its route, or "ui", "metrics" or "none". It may be nil.
	Observe func(route string, status int, took time.Duration)
	// SchedulesChanged is told of new times of a schedule, or with nil of any number of them.
	SchedulesChanged func(one *trowel.Schedule)
	// AgentsChanged is told that agents shall take nothing new, or go on.
	AgentsChanged func()
	Limits        Limits
	Aging         time.Duration // a waiting task gains one of weight after it, see queue.aging; zero for never
	// ReserveAfter and MaxRunning are pool.reserve_after and executor.max_running_tasks; zero for none.
	ReserveAfter time.Duration
	MaxRunning   int
	Mask         func(string) string // masks secrets in messages; may be nil
	Catalog      dig.Catalog         // what is known about workflow files, for warnings about what is pushed

	Version            string // as clients see it (server 2.6.1)
	DigdagVersion      string // that the server stands for: what Digdag's clients see
	UpgradeRecommended string // see server.client-version-check.*; may be empty
	Incompatible       string
	Names              Names             // that the server answers to; nil for all
	SignIn             bool              // nobody is let in without credentials
	Headers            map[string]string // of all answers below /api
	TempDir            string            // for uploads; empty for that of the system
	MaxArchive         int64             // bytes of an archive, see api.max_archive_total_size_limit
	MaxBody            int64             // bytes of a JSON body
	MaxAttempts        int               // running ones, for backfills
	MaxSessionsPage    int
	MaxAttemptsPage    int
	MaxStreams         int // of events; zero, and more than 1,000, are 1,000
	Swagger            bool
	RequestTimeout     time.Duration // of requests that only touch the database
	ProveEvery         time.Duration // between looks whether tokens of lasting requests still hold; zero for 3 s
}

// defaultPage is how many items a list has unless the request says otherwise (server 2.4).
const defaultPage = 100

// Server answers requests. It is an http.Handler; Admin is the handler of the admin listener.
type Server struct {
	opts    Options
	routes  []route
	router  *router
	admin   bool
	gates   *gates
	origins *origins
	streams *streams
	names   *nameCache
	proofs  *proofs
}

// New returns a server.
func New(opts Options) *Server {
	s := &Server{
		opts: opts, gates: &gates{}, names: &nameCache{}, proofs: newProofs(&opts), origins: &origins{names: opts.Names, swagger: opts.Swagger, signIn: opts.SignIn},
		streams: newStreams(opts.MaxStreams),
	}
	s.routes = routes()
	if opts.Swagger {
		s.routes = append(s.routes, swaggerRoutes()...)
	}
	s.router = newRouter(s.routes)
	return s
}

// Admin returns the same server for the admin listener, which also answers below /api/admin.
func (s *Server) Admin() http.Handler {
	admin := *s
	admin.admin = true
	return &admin
}

// Close makes the server refuse all further requests with 503.
func (s *Server) Close() { s.gates.closed.Store(true) }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := s.opts.Now()
	rec := &recorder{ResponseWriter: w}
	defer func() {
		if cause := recover(); cause != nil {
			s.panicked(rec, r, cause)
		}
		if s.opts.AccessLog != nil {
			s.opts.AccessLog(accessOf(r, rec, began, s.opts.Now()))
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
		c := &call{Server: s, w: rec, r: r, context: r.Context()}
		c.answerError(refused)
		return
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

// addHeaders adds those of all answers below /api.
func (s *Server) addHeaders(header http.Header) {
	for name, value := range s.opts.Headers {
		header.Set(name, value)
	}
	if s.opts.Swagger {
		allowOrigins(header)
	}
}

// serveAPI finds the route of a request and answers it. Who calls is asked before anything else,
// so that nobody learns which paths there are.
func (s *Server) serveAPI(w *recorder, r *http.Request, path string) {
	c := &call{Server: s, w: w, r: r, context: r.Context(), now: s.opts.Now()}
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
		c.caller = caller
	}
	c.found = f
	defer func() {
		if c.release != nil {
			c.release()
		}
	}()
	c.answer(c.run(r.Context(), known))
}

// open reports whether a method of a path needs no authentication.
func (f found) open(method string) bool {
	r := f.methods[readMethod(method)]
	return r != nil && r.open
}

// readMethod is the method under which the routes have a request: HEAD works wherever GET does.
func readMethod(method string) string {
	if method == http.MethodHead {
		return http.MethodGet
	}
	return method
}

// run calls the handler of the route.
func (c *call) run(ctx context.Context, known bool) (any, error) {
	if !known {
		return nil, ErrNoPath
	}
	c.route = c.found.methods[readMethod(c.r.Method)]
	if c.route == nil {
		c.w.Header().Set("Allow", c.found.allowed())
		return nil, BareError(http.StatusMethodNotAllowed)
	}
	if strings.HasPrefix(c.route.path, "/api/admin/") && !c.admin {
		return nil, ErrNoPath
	}
	if c.caller.Role == access.RoleAgent && c.route.verb != access.RunAgent && c.route.verb != "" {
		return nil, onlyAgent(c.caller)
	}
	if err := c.may(c.caller.Project); err != nil {
		return nil, err // its role may do this with no project: the body is not read
	}
	if err := c.checkBody(); err != nil {
		return nil, err
	}
	if err := c.decompress(); err != nil {
		return nil, err
	}
	c.query = c.r.URL.Query()
	if c.route.long {
		c.release = c.proofs.hold(ctx, c)
	} else {
		ctx, cancel := context.WithTimeoutCause(ctx, c.opts.RequestTimeout, errSlow)
		defer cancel()
		c.context = ctx
	}
	return c.route.handle(c)
}

// onlyAgent refuses the bearer of an agent's token, who sees nothing else.
func onlyAgent(caller access.Caller) error {
	return Errorf(http.StatusForbidden, "the token of %s is for a remote agent, and for nothing else", caller.Name)
}
