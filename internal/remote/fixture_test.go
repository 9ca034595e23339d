package remote_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/remote"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
	"github.com/trowel-project/trowel/internal/template"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// Leases of tests are short, and heartbeats come often.
const (
	testLease = 3 * time.Second
	testBeat  = 200 * time.Millisecond
	maxReport = 1 << 20
)

// fixture is a store with a workflow, whom servers and agents share.
type fixture struct {
	store   trowel.Store
	context trowel.AttemptContext
	bearer  string // token of the role agent
	// lease and beat are how long leases last, and how often agents send heartbeats.
	lease, beat time.Duration

	sessions atomic.Int64
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{store: trowtest.Store(t), lease: testLease, beat: testBeat}
	p := trowtest.NewProject(t, "etl", map[string]string{"w": "{}"}).In("UTC+09:00")
	p.Revision.Archive = trowel.Archive{Type: "db", Key: "a1", SizeBytes: 5}
	f.update(t, func(tx trowel.Tx) error { return p.Insert(t.Context(), tx) })
	f.context = p.Context("w")
	f.bearer = f.token(t, &trowel.Token{Name: "agents", Role: string(access.RoleAgent)})
	return f
}

func (f *fixture) update(t *testing.T, do func(tx trowel.Tx) error) {
	t.Helper()
	trowtest.Update(t, f.store, do)
}

// token stores a token and returns what its bearer sends.
func (f *fixture) token(t *testing.T, row *trowel.Token) string {
	t.Helper()
	bearer, hash := access.NewToken()
	row.Hash, row.CreatedAt = hash, time.Now()
	f.update(t, func(tx trowel.Tx) error { return tx.InsertToken(t.Context(), row) })
	return bearer
}

// tries returns the ended tries of an attempt.
func (f *fixture) tries(t *testing.T, id trowel.AttemptID) (tries []trowel.Try) {
	t.Helper()
	trowtest.View(t, f.store, func(tx trowel.Tx) (err error) {
		tries, err = tx.ListTries(t.Context(), id)
		return err
	})
	return tries
}

// testServer is a server that agents can be connected to.
type testServer struct {
	*httptest.Server
	fixture *fixture
	flusher *trowtest.Flusher
	hub     *hub.Hub
	stop    func() // ends it as a crash does
	// hurt stands between agents and the server; nil lets everything through.
	hurt atomic.Pointer[func(w http.ResponseWriter, r *http.Request, next http.Handler)]
}

// serve begins a server; address is empty for any.
func (f *fixture) serve(t *testing.T, id, address string) *testServer {
	t.Helper()
	s := &testServer{fixture: f}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	s.flusher = trowtest.RunFlusher(t, flush.Options{
		Store: f.store, Log: log, RetryForever: true, Recover: true, Poll: 100 * time.Millisecond, ServerID: id, Poison: 5,
	})
	opts := servertest.Options(t, f.store)
	renewals := queue.NewRenewals(queue.RenewalOptions{Store: f.store, Lease: f.lease, Now: time.Now})
	s.hub = hub.New(hub.Options{
		Store: f.store, Flusher: s.flusher, Renewals: renewals, Report: s.flusher.Report, ServerID: id, Version: "0.1.0",
		Heartbeat: f.beat, Lease: f.lease, TaskLimit: 1000, MaxReport: maxReport,
		Secrets:  func(p trowel.ProjectID) secret.Finder { return secret.NewStored(rows{f.store}, opts.V1.Crypter, p) },
		Sessions: sessions{}, Params: &operator.StoreParams{Store: f.store, Now: time.Now},
		KeepOutput: func(ctx context.Context, chunks []trowel.LogChunk) error {
			return f.store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertLogChunks(ctx, chunks) })
		},
		Now: time.Now, Log: log,
	})
	opts.REST.Auth = access.New(access.Options{Username: "me", Password: "hush", Tokens: servertest.Tokens{Store: f.store}, Now: time.Now})
	opts.REST.Log, opts.REST.MaxBody, opts.REST.RequestTimeout = log, maxReport, 5*time.Second
	opts.Agents.Agents = s.hub
	api := server.New(opts)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hurt := s.hurt.Load(); hurt != nil {
			(*hurt)(w, r, api)
			return
		}
		api.ServeHTTP(w, r)
	}))
	if address != "" {
		_ = s.Listener.Close()
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		s.Listener = listener
	}
	s.Start()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, part := range []func(context.Context) error{renewals.Run, s.hub.Run} {
		running.Go(func() { _ = part(ctx) })
	}
	s.stop = sync.OnceFunc(func() {
		s.CloseClientConnections()
		cancel()
		s.flusher.Stop()
		running.Wait()
		_ = s.Listener.Close()
		s.CloseClientConnections()
		s.Close()
	})
	t.Cleanup(s.stop)
	return s
}

// rows reads secrets.
type rows struct{ store trowel.Store }

func (r rows) FindSecret(ctx context.Context, project trowel.ProjectID, scope, key string) (found *trowel.Secret, err error) {
	err = r.store.View(ctx, func(tx trowel.Tx) error {
		found, err = tx.FindSecret(ctx, project, scope, key)
		return err
	})
	return found, err
}

func (r rows) ListProjectSecrets(ctx context.Context, project trowel.ProjectID, limit int) (list []*trowel.Secret, err error) {
	err = r.store.View(ctx, func(tx trowel.Tx) error {
		list, err = tx.ListProjectSecrets(ctx, project, limit)
		return err
	})
	return list, err
}

func (r rows) SecretsBound(ctx context.Context) (bound bool, err error) {
	err = r.store.View(ctx, func(tx trowel.Tx) error {
		bound, err = tx.SecretsBound(ctx)
		return err
	})
	return bound, err
}

// sessions knows one workflow.
type sessions struct{}

func (sessions) StartSession(_ context.Context, r operator.StartRequest) (operator.StartedSession, error) {
	switch r.Workflow {
	case "known":
		return operator.StartedSession{New: true, SessionID: 7, AttemptID: 8, Flags: trowel.AttemptDone}, nil
	case "full":
		return operator.StartedSession{}, &operator.Failure{Message: "too many attempts running"}
	}
	return operator.StartedSession{}, trowel.ErrNotFound
}

// start begins an attempt of a body, each in a session of its own.
func (s *testServer) start(t *testing.T, body *param.Map) *flush.Started {
	t.Helper()
	r := trowtest.Request(t, s.fixture.context, body)
	r.Context.Session.Time = r.Context.Session.Time.Add(time.Duration(s.fixture.sessions.Add(1)) * time.Hour)
	started, err := s.flusher.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// testAgent is an agent with its link.
type testAgent struct {
	link  *remote.Link
	agent *agent.Agent
	id    string
	stop  func()
}

type work func(ctx context.Context, r *operator.Request) (operator.Outcome, error)

// connect begins an agent that does one kind of work, do>.
func (f *fixture) connect(t *testing.T, do work, change func(*remote.Options, *agent.Options), servers ...string) *testAgent {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	opts := remote.Options{
		Servers: servers, Token: f.bearer, Now: time.Now, Log: log,
		Self: api.AgentRegistration{Name: "a1", Host: "host", Version: "0.1.0", Slots: 4},
	}
	agentOpts := agent.Options{
		Operators: operator.Table{"do": {Run: do}}, Templates: template.New(template.Options{}), Now: time.Now,
		Commands: command.NewLocal(command.LocalOptions{}), TaskLimit: 1000, Wake: func() {},
		OpenLog: func(*trowel.Lease) agent.Log { return agent.Log{Output: nopCloser{io.Discard}, Logger: log} },
	}
	if change != nil {
		change(&opts, &agentOpts)
	}
	link, err := remote.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := link.Register(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := &testAgent{link: link, id: settings.ID}
	agentOpts.ID, agentOpts.Report, agentOpts.Secrets, agentOpts.Sessions = settings.ID, link.Report, link.Secrets, link
	agentCtx, kill := context.WithCancelCause(context.Background())
	m.agent = agent.New(agentCtx, agentOpts)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := link.Run(ctx, m.agent); !errors.Is(err, context.Canceled) {
			t.Errorf("link: %v", err)
		}
	})
	m.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		kill(agent.ErrStopped)
		m.agent.Drain()
		m.agent.Wait()
		link.Close()
	})
	t.Cleanup(m.stop)
	return m
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// done is work that succeeds at once.
func done(context.Context, *operator.Request) (operator.Outcome, error) {
	return operator.Outcome{}, nil
}

// result waits for the end of an attempt.
func result(t *testing.T, started *flush.Started) string {
	t.Helper()
	select {
	case a, ok := <-started.Ended:
		if !ok {
			t.Fatal("the flusher has ended before the attempt")
		}
		return a.Flags.Status()
	case <-time.After(30 * time.Second):
		t.Fatal("the attempt does not end")
		return ""
	}
}

// within fails the test if something does not come.
func within[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case got := <-c:
		return got
	case <-time.After(20 * time.Second):
		t.Fatalf("%s does not come", what)
		panic("not reached")
	}
}

// isPath reports whether a request goes to a path of agents.
func isPath(r *http.Request, end string) bool { return strings.HasSuffix(r.URL.Path, end) }

// zipped is a text as it is sent, and its size.
func zipped(text string) (data []byte, size int64) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, _ = zip.Write([]byte(text))
	_ = zip.Close()
	return out.Bytes(), int64(len(text))
}
