package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/wait"
)

// Options are the dependencies of a Link. Servers, Self, Now and Log are required.
type Options struct {
	// Servers are the addresses of servers on one database, http://HOST:PORT or https://HOST:PORT. The Link uses one at
	// a time, and the next one if that fails.
	Servers []string
	Token   string // empty for none
	TLS     *tls.Config
	Proxy   func(*http.Request) (*url.URL, error) // may be nil
	Self    api.AgentRegistration
	Now     func() time.Time
	Log     *slog.Logger
}

// Agent runs the tries; package agent implements it.
type Agent interface {
	// Rebind gives the agent another id. Tries under an earlier id end at once.
	Rebind(id string)
	Assign(leases []*trowel.Lease)
	// Cancel ends tries that were killed, Lose tries that the agent has lost.
	Cancel(tries []trowel.TryID)
	Lose(tries []trowel.TryID)
}

// Settings are what a server tells its agents.
type Settings struct {
	ID        string
	Server    string // version
	TaskLimit int    // the largest number of tasks of an attempt
	Heartbeat time.Duration
	Lease     time.Duration
	KeepAlive time.Duration
	MaxReport int64 // bytes
}

// Link is the connection of an agent to its servers. It is safe for concurrent use.
type Link struct {
	opts    Options
	client  *http.Client
	zones   zones
	agent   Agent        // set by Run
	offset  atomic.Int64 // how far the server's clock is ahead of ours, in nanoseconds
	current atomic.Int64 // the number of the present server

	registering   sync.Mutex
	mu            sync.Mutex
	settings      Settings
	draining      bool
	suspendReason string // why no tasks are taken for now; empty if they are
	tries         map[trowel.TryID]*held
	outbox        []*held       // ended tries whose reports must be sent
	reported      chan struct{} // closed when the last report was answered; nil if nobody waits
	beatNow       wait.Signal   // a heartbeat is wanted at once
	reportNow     wait.Signal   // outbox is not empty
	lastBeat      time.Time
	endStream     context.CancelCauseFunc // of the present stream; nil without one
}

// held is a try that this agent has.
type held struct {
	lease    *trowel.Lease
	report   *trowel.Report // nil while it runs
	replaced bool           // the report was refused; this is a failure instead of it
}

// New returns a Link. Call Register to make it known to a server, and then Run.
func New(opts Options) (*Link, error) {
	for _, server := range opts.Servers {
		address, err := url.Parse(server)
		if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
			return nil, &trowel.Error{
				Kind: trowel.ErrInvalid, Message: fmt.Sprintf("%q is no address of a server", server),
				Hint: "an address is http://HOST:PORT or https://HOST:PORT",
			}
		}
	}
	if len(opts.Servers) == 0 {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: "an agent needs the address of a server"}
	}
	return &Link{
		opts: opts, client: newHTTPClient(&opts), tries: map[trowel.TryID]*held{},
		beatNow: wait.NewSignal(), reportNow: wait.NewSignal(),
	}, nil
}

// Close closes idle connections.
func (l *Link) Close() { l.client.CloseIdleConnections() }

// Now is the server's clock, as far as it is known. Names of logs use it.
func (l *Link) Now() time.Time { return l.opts.Now().Add(time.Duration(l.offset.Load())) }

// setClock notes the time that the server's clock shows now.
func (l *Link) setClock(micros int64) {
	l.offset.Store(int64(time.UnixMicro(micros).Sub(l.opts.Now())))
}

// Register makes the agent known to a server. It tries all servers again and again until one answers; if a server
// refuses the agent for good, that is an error.
func (l *Link) Register(ctx context.Context) (Settings, error) {
	s, err := l.register(ctx)
	if err == nil {
		l.become(s)
	}
	return s, err
}

// become applies the settings of a server.
func (l *Link) become(s Settings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settings, l.lastBeat = s, l.opts.Now()
}

func (l *Link) register(ctx context.Context) (Settings, error) {
	retry := newBackoff(5 * time.Second)
	told := "" // the advice that was logged last
	for n := 0; ; n++ {
		s, err := l.registerOnce(ctx)
		if err == nil {
			return s, nil
		}
		if l.mustEnd(err) && n+1 >= len(l.opts.Servers) {
			return Settings{}, err
		}
		l.opts.Log.WarnContext(ctx, "agent not registered, it tries again", slog.String("server", l.server()), slog.Any("error", err))
		if fix := Fix(err); fix != told {
			told = fix
			l.opts.Log.WarnContext(ctx, "what can be done about it", slog.String("fix", fix))
		}
		l.rotate(l.current.Load())
		if !retry.sleep(ctx) {
			return Settings{}, context.Cause(ctx)
		}
	}
}

// mustEnd reports whether an error of a registration is permanent: the server refuses the agent, or it was never reached
// before and the agent cannot speak to it or trust it. A server that was reached before may come back.
func (l *Link) mustEnd(err error) bool {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.lasting()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settings.ID == "" && isMisconfigured(err)
}

func (l *Link) registerOnce(ctx context.Context) (Settings, error) {
	var got api.AgentRegistered
	if err := l.post(ctx, shortRequest, "", l.opts.Self, &got); err != nil {
		return Settings{}, err
	}
	s := Settings{
		ID: got.ID, Server: got.Server, TaskLimit: got.TaskLimit, MaxReport: got.MaxReportBytes,
		Heartbeat: milliseconds(got.HeartbeatMs), Lease: milliseconds(got.LeaseMs), KeepAlive: milliseconds(got.KeepAliveMs),
	}
	if s.ID == "" || s.Heartbeat <= 0 || s.Lease <= 0 || s.KeepAlive <= 0 || s.MaxReport <= 0 {
		return Settings{}, fmt.Errorf("the server at %s answers like no server of agents", l.server())
	}
	l.setClock(got.NowMicros)
	l.opts.Log.InfoContext(ctx, "agent registered", slog.String("server", l.server()), slog.String("id", s.ID), slog.String("server_version", s.Server))
	return s, nil
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// renew registers the agent again after a server said that the id old is unknown. Tries under that id are ended, and
// their reports dropped.
func (l *Link) renew(ctx context.Context, old string) error {
	l.registering.Lock()
	defer l.registering.Unlock()
	if l.state().ID != old {
		return nil // somebody else has done it
	}
	l.opts.Log.WarnContext(ctx, "the lease of this agent has ended, its tries are stopped", slog.String("id", old))
	l.drop()
	s, err := l.register(ctx)
	if err != nil {
		return err
	}
	l.agent.Rebind(s.ID) // before leases for this id can come
	l.become(s)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endStream != nil {
		l.endStream(errRenewed)
	}
	return nil
}

var errRenewed = errors.New("the agent has got another id")

// drop forgets all tries, and makes the agent end them.
func (l *Link) drop() {
	l.mu.Lock()
	var all []trowel.TryID
	for id := range l.tries {
		all = append(all, id)
	}
	clear(l.tries)
	l.outbox = nil
	l.signalReported()
	l.mu.Unlock()
	l.agent.Lose(all)
}

// state returns the present settings.
func (l *Link) state() Settings {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settings
}

// Run receives leases for the agent and sends its reports, until ctx ends, or servers have refused the agent for longer
// than a lease. Register must have succeeded.
func (l *Link) Run(ctx context.Context, agent Agent) error {
	l.agent = agent
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var parts sync.WaitGroup
	parts.Go(func() { l.streams(ctx) })
	for range senders {
		parts.Go(func() { l.send(ctx) })
	}
	parts.Go(func() {
		if err := l.beats(ctx); err != nil {
			stop(err)
		}
	})
	parts.Wait()
	return context.Cause(ctx)
}

// Drain takes no more tasks. The server is told at once; the agent gives back tasks that come anyway.
func (l *Link) Drain() {
	l.mu.Lock()
	l.draining = true
	l.mu.Unlock()
	l.beatNow.Set()
}

// Suspend suspends taking tasks for a reason, or resumes if the reason is empty. The server is told at once, and with all
// later reports.
func (l *Link) Suspend(reason string) {
	l.mu.Lock()
	l.suspendReason = reason
	l.mu.Unlock()
	l.beatNow.Set()
}

// isEnding reports whether the agent will never take tasks again.
func (l *Link) isEnding() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.draining
}

// AwaitReports returns once all reports are answered, or ctx ends. Call it after the last try has ended.
func (l *Link) AwaitReports(ctx context.Context) error {
	l.mu.Lock()
	if len(l.tries) == 0 {
		l.mu.Unlock()
		return nil
	}
	if l.reported == nil {
		l.reported = make(chan struct{})
	}
	reported := l.reported
	l.mu.Unlock()
	select {
	case <-reported:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// signalReported wakes the callers of AwaitReports if all reports are answered. It is called under the mutex.
func (l *Link) signalReported() {
	if l.reported != nil && len(l.tries) == 0 {
		close(l.reported)
		l.reported = nil
	}
}

// Leave deletes the agent on the server, so that nobody has to wait until its lease expires.
func (l *Link) Leave(ctx context.Context) error {
	err := l.request(ctx, shortRequest, http.MethodDelete, "/"+l.state().ID, nil, nil)
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// heldTries returns the agent's id and what it has.
func (l *Link) heldTries() (id string, list api.AgentHeld) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list = api.AgentHeld{Resting: l.isSuspended(), Reason: l.suspendReason, Tries: api.List[api.AgentTry]{}}
	for id := range l.tries {
		list.Tries = append(list.Tries, api.AgentTry{TaskID: int64(id.Task), Try: id.Number})
	}
	return l.settings.ID, list
}

// isSuspended reports whether no tasks are taken now. It is called under the mutex.
func (l *Link) isSuspended() bool { return l.draining || l.suspendReason != "" }

// server is the address of the present server.
func (l *Link) server() string { return l.opts.Servers[int(l.current.Load())%len(l.opts.Servers)] }

// rotate switches to the next server, unless somebody else has.
func (l *Link) rotate(from int64) { l.current.CompareAndSwap(from, from+1) }

// backoff sleeps longer each time. A random part keeps agents from coming all at once.
type backoff struct{ next, longest time.Duration }

const shortestWait = 50 * time.Millisecond

func newBackoff(longest time.Duration) *backoff {
	return &backoff{shortestWait, max(longest, shortestWait)}
}

func (b *backoff) reset() { b.next = shortestWait }

// sleep sleeps and reports whether ctx goes on.
func (b *backoff) sleep(ctx context.Context) bool {
	delay := b.next/2 + rand.N(b.next)
	b.next = min(2*b.next, b.longest)
	return wait.Sleep(ctx, delay) == nil
}
