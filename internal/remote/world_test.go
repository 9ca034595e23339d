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
	"github.com/trowel-project/trowel/internal/blob"
	blobdb "github.com/trowel-project/trowel/internal/blob/db"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/remote"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/agentapi"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/server/v1"
	"github.com/trowel-project/trowel/internal/store/sqlite"
	"github.com/trowel-project/trowel/internal/template"
)

// Leases of tests are short, and heartbeats come often.
const (
	testLease = 3 * time.Second
	testBeat  = 200 * time.Millisecond
	maxReport = 1 << 20
)

// world is a store with a workflow, and what serves it.
type world struct {
	store   trowel.Store
	setting trowel.AttemptContext
	bearer  string // token of the role agent
	// lease and beat are how long leases last, and how often agents send heartbeats.
	lease, beat time.Duration

	sessions atomic.Int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlite.Options{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := &world{store: store, lease: testLease, beat: testBeat}
	now := time.Now()
	w.setting = trowel.AttemptContext{
		Project:  trowel.Project{Name: "etl", CreatedAt: now},
		Revision: trowel.Revision{Name: "r1", CreatedAt: now, Archive: trowel.Archive{Type: "db", Key: "a1", SizeBytes: 5}},
	}
	workflow := &trowel.Workflow{Name: "w", Zone: "UTC+09:00", Definition: param.New()}
	w.update(t, func(tx trowel.Tx) error {
		return tx.InsertRevision(t.Context(), &w.setting.Project, &w.setting.Revision, []*trowel.Workflow{workflow})
	})
	w.setting.Workflow = *workflow
	w.setting.Session = trowel.Session{ProjectID: w.setting.Project.ID, Workflow: "w", Time: time.Unix(1705276800, 0), UUID: "u"}
	w.bearer = w.token(t, &trowel.Token{Name: "agents", Role: string(access.RoleAgent)})
	return w
}

func (w *world) update(t *testing.T, f func(tx trowel.Tx) error) {
	t.Helper()
	if err := w.store.Update(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// token stores a token and returns what its bearer sends.
func (w *world) token(t *testing.T, row *trowel.Token) string {
	t.Helper()
	bearer, hash := access.NewToken()
	row.Hash, row.CreatedAt = hash, time.Now()
	w.update(t, func(tx trowel.Tx) error { return tx.InsertToken(t.Context(), row) })
	return bearer
}

// tries returns the ended tries of an attempt.
func (w *world) tries(t *testing.T, id trowel.AttemptID) (tries []trowel.Try) {
	t.Helper()
	err := w.store.View(t.Context(), func(tx trowel.Tx) (err error) {
		tries, err = tx.ListTries(t.Context(), id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tries
}

// FindToken implements access.Tokens.
func (w *world) FindToken(ctx context.Context, hash []byte) (found *trowel.Token, project *trowel.Project, err error) {
	err = w.store.View(ctx, func(tx trowel.Tx) error {
		if found, err = tx.FindToken(ctx, hash); err != nil || found.ProjectID == 0 {
			return err
		}
		project, err = tx.FindProjectByID(ctx, found.ProjectID)
		return err
	})
	return found, project, err
}

// house is a server.
type house struct {
	*httptest.Server
	world   *world
	flusher *flush.Flusher
	hub     *hub.Hub
	stop    func() // ends it as a crash does
	// hurt stands between agents and the server; nil lets everything through.
	hurt atomic.Pointer[func(w http.ResponseWriter, r *http.Request, next http.Handler)]
}

// noAgent is the server's own agent, which takes nothing.
type noAgent struct{}

func (noAgent) ID() string                       { return "none" }
func (noAgent) Serves(*trowel.Requirements) bool { return false }
func (noAgent) Free() int                        { return 0 }
func (noAgent) Assign([]*trowel.Lease)           {}
func (noAgent) Cancel([]trowel.TryID)            {}
func (noAgent) Remote() bool                     { return false }

// serve begins a server; address is empty for any.
func (w *world) serve(t *testing.T, id, address string) *house {
	t.Helper()
	h := &house{world: w}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	h.flusher = flush.New(flush.Options{
		Store: w.store, Agent: noAgent{}, Now: time.Now, Log: log, Limits: engine.Limits{Tasks: 1000}, Attempts: 100,
		RetryForever: true, Recover: true, Poll: 100 * time.Millisecond, ServerID: id, Poison: 5,
	})
	renewals := queue.NewRenewals(queue.RenewalOptions{Store: w.store, Lease: w.lease, Now: time.Now})
	crypter, err := secret.NewCrypter("MDEyMzQ1Njc4OTAxMjM0NQ==")
	if err != nil {
		t.Fatal(err)
	}
	h.hub = hub.New(hub.Options{
		Store: w.store, Flusher: h.flusher, Renewals: renewals, Report: h.flusher.Report, ServerID: id, Version: "0.1.0",
		Heartbeat: w.beat, Lease: w.lease, TaskLimit: 1000, MaxReport: maxReport,
		Secrets:  func(p trowel.ProjectID) secret.Finder { return secret.NewStored(rows{w.store}, crypter, p) },
		Sessions: sessions{}, Params: &operator.StoreParams{Store: w.store, Now: time.Now},
		KeepOutput: func(ctx context.Context, chunks []trowel.LogChunk) error {
			return w.store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertLogChunks(ctx, chunks) })
		},
		Now: time.Now, Log: log,
	})
	archives := &download.Archives{Stores: map[string]blob.Store{"db": blobdb.New(w.store)}}
	api := server.New(server.Options{
		REST: rest.Options{
			Store: w.store, Auth: access.New(access.Options{Username: "me", Password: "hush", Tokens: w, Now: time.Now}),
			Now: time.Now, Log: log, Version: "0.1.0", MaxBody: maxReport, RequestTimeout: 5 * time.Second,
		},
		V1:     v1.Options{Archives: archives, Crypter: crypter},
		Agents: agentapi.Options{Agents: h.hub, Archives: archives, Version: "0.1.0"},
	})
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hurt := h.hurt.Load(); hurt != nil {
			(*hurt)(w, r, api)
			return
		}
		api.ServeHTTP(w, r)
	}))
	if address != "" {
		_ = h.Listener.Close()
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		h.Listener = listener
	}
	h.Start()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, part := range []func(context.Context) error{h.flusher.Run, renewals.Run, h.hub.Run} {
		running.Go(func() { _ = part(ctx) })
	}
	h.stop = sync.OnceFunc(func() {
		h.CloseClientConnections()
		cancel()
		running.Wait()
		_ = h.Listener.Close()
		h.CloseClientConnections()
		h.Close()
	})
	t.Cleanup(h.stop)
	return h
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
func (h *house) start(t *testing.T, body *param.Map) *flush.Started {
	t.Helper()
	tasks, err := dig.Compile("", "+w", body)
	if err != nil {
		t.Fatal(err)
	}
	setting := h.world.setting
	setting.Session.Time = setting.Session.Time.Add(time.Duration(h.world.sessions.Add(1)) * time.Hour)
	started, err := h.flusher.Start(t.Context(), flush.Start{
		Context: setting, Tasks: tasks,
		Attempt: trowel.Attempt{WorkflowID: h.world.setting.Workflow.ID, Zone: "UTC+09:00", Cause: "test", Actor: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// machine is an agent with its link.
type machine struct {
	link  *remote.Link
	agent *agent.Agent
	id    string
	stop  func()
}

type work func(ctx context.Context, r *operator.Request) (operator.Outcome, error)

// connect begins an agent that does one kind of work, do>.
func (w *world) connect(t *testing.T, do work, change func(*remote.Options, *agent.Options), servers ...string) *machine {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	opts := remote.Options{
		Servers: servers, Token: w.bearer, Now: time.Now, Log: log,
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
	m := &machine{link: link, id: settings.ID}
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
