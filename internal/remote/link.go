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

// Options are what a Link works with. Servers, Self, Now and Log are required.
type Options struct {
	// Servers are the addresses of servers on one database, http://HOST:PORT or https://HOST:PORT. One is
	// used at a time, the next one when it cannot be.
	Servers []string
	Token   string // empty for none
	TLS     *tls.Config
	Proxy   func(*http.Request) (*url.URL, error) // may be nil
	Self    api.AgentRegistration
	Now     func() time.Time
	Log     *slog.Logger
}

// Agent runs the tries; package agent has it.
type Agent interface {
	// Hold gives the agent another id: what runs under an earlier one is ended at once.
	Hold(id string)
	Give(leases []*trowel.Lease)
	// Cancel ends tries that were killed, Lose those that are not the agent's any more.
	Cancel(tries []trowel.TryID)
	Lose(tries []trowel.TryID)
}

// Settings are what a server says to its agents.
type Settings struct {
	ID        string
	Server    string // version
	TaskLimit int    // tasks that an attempt may have
	Heartbeat time.Duration
	Lease     time.Duration
	KeepAlive time.Duration
	MaxReport int64 // bytes of a report
}

// Link is the connection of an agent to its servers. Its methods may be called concurrently.
type Link struct {
	opts    Options
	client  *http.Client
	zones   zones
	agent   Agent        // set by Run
	offset  atomic.Int64 // what the server's clock is ahead of ours, in nanoseconds
	current atomic.Int64 // number of the server that is used

	registering sync.Mutex
	mu          sync.Mutex
	settings    Settings
	resting     bool
	paused      string // why nothing is taken for a while; empty if that is not so
	tries       map[trowel.TryID]*held
	outbox      []*held       // ended, and their reports are to be sent
	settled     chan struct{} // closed when the last report was answered; nil if nobody waits
	beatNow     wait.Signal   // a heartbeat is wanted at once
	reportNow   wait.Signal   // outbox is not empty
	lastBeat    time.Time
	endStream   context.CancelCauseFunc // of the present stream; nil without one
}

// held is a try that this agent has.
type held struct {
	lease    *trowel.Lease
	report   *trowel.Report // nil while it runs
	replaced bool           // the report was refused, and this is a failure in its place
}

// New returns a Link; Register makes it known to a server, Run makes it work.
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

// Close gives back idle connections.
func (l *Link) Close() { l.client.CloseIdleConnections() }

// Now is the server's clock, as far as it is known: names of logs have it.
func (l *Link) Now() time.Time { return l.opts.Now().Add(time.Duration(l.offset.Load())) }

// setClock notes what the server's clock showed just now.
func (l *Link) setClock(micros int64) {
	l.offset.Store(int64(time.UnixMicro(micros).Sub(l.opts.Now())))
}

// Register makes the agent known to a server. It tries all servers again and again until one answers; a
// server that refuses the agent for good is an error.
func (l *Link) Register(ctx context.Context) (Settings, error) {
	s, err := l.register(ctx)
	if err == nil {
		l.become(s)
	}
	return s, err
}

// become takes on what a server has said.
func (l *Link) become(s Settings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settings, l.lastBeat = s, l.opts.Now()
}

func (l *Link) register(ctx context.Context) (Settings, error) {
	wait := newBackoff(5 * time.Second)
	told := "" // what can be done, said once
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
		if !wait.pause(ctx) {
			return Settings{}, context.Cause(ctx)
		}
	}
}

// mustEnd reports whether an error at the registration does not pass: the server refuses, or, before it has ever been
// reached, is none that this agent can speak to or trust. A server that was reached before may come back
// as it was.
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

// renew registers the agent anew after a server said that old is not known: what runs under that id is
// ended, and its reports are dropped.
func (l *Link) renew(ctx context.Context, old string) error {
	l.registering.Lock()
	defer l.registering.Unlock()
	if l.state().ID != old {
		return nil // done meanwhile
	}
	l.opts.Log.WarnContext(ctx, "the lease of this agent has ended, its tries are stopped", slog.String("id", old))
	l.drop()
	s, err := l.register(ctx)
	if err != nil {
		return err
	}
	l.agent.Hold(s.ID) // before anything can come for it
	l.become(s)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endStream != nil {
		l.endStream(errRenewed)
	}
	return nil
}

var errRenewed = errors.New("the agent has got another id")

// drop forgets all tries, and has the agent end them.
func (l *Link) drop() {
	l.mu.Lock()
	var all []trowel.TryID
	for id := range l.tries {
		all = append(all, id)
	}
	clear(l.tries)
	l.outbox = nil
	l.settle()
	l.mu.Unlock()
	l.agent.Lose(all)
}

// state returns the present settings.
func (l *Link) state() Settings {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settings
}

// Run gives the agent what comes, and sends what it says, until ctx ends, or servers have refused the
// agent for longer than a lease. Register must have succeeded.
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

// Rest takes nothing new: the server is told at once, and what comes all the same the agent gives back.
func (l *Link) Rest() {
	l.mu.Lock()
	l.resting = true
	l.mu.Unlock()
	l.beatNow.Set()
}

// Pause takes nothing new for a while, for this reason, and goes on if it is empty. The server is told at once,
// and with reports that come after this.
func (l *Link) Pause(reason string) {
	l.mu.Lock()
	l.paused = reason
	l.mu.Unlock()
	l.beatNow.Set()
}

// isEnding reports whether the agent takes nothing new any more.
func (l *Link) isEnding() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resting
}

// Settle returns when no try is left whose report was not answered, or ctx ends. It is for after the last
// try has ended.
func (l *Link) Settle(ctx context.Context) error {
	l.mu.Lock()
	if len(l.tries) == 0 {
		l.mu.Unlock()
		return nil
	}
	if l.settled == nil {
		l.settled = make(chan struct{})
	}
	settled := l.settled
	l.mu.Unlock()
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// settle tells those in Settle, if there is nothing left. It is called under the mutex.
func (l *Link) settle() {
	if l.settled != nil && len(l.tries) == 0 {
		close(l.settled)
		l.settled = nil
	}
}

// Leave deletes the agent on the server, so that nobody waits for the end of its lease.
func (l *Link) Leave(ctx context.Context) error {
	err := l.request(ctx, shortRequest, http.MethodDelete, "/"+l.state().ID, nil, nil)
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status == http.StatusNotFound {
		return nil
	}
	return err
}

// heldTries lists what this agent has, for the server.
func (l *Link) heldTries() (id string, list api.AgentHeld) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list = api.AgentHeld{Resting: l.isResting(), Reason: l.paused, Tries: api.List[api.AgentTry]{}}
	for id := range l.tries {
		list.Tries = append(list.Tries, api.AgentTry{TaskID: int64(id.Task), Try: id.Number})
	}
	return l.settings.ID, list
}

// isResting reports whether nothing new is taken. It is called under the mutex.
func (l *Link) isResting() bool { return l.resting || l.paused != "" }

// server is the address of the server that is used now.
func (l *Link) server() string { return l.opts.Servers[int(l.current.Load())%len(l.opts.Servers)] }

// rotate goes on to the next server, unless somebody else did.
func (l *Link) rotate(from int64) { l.current.CompareAndSwap(from, from+1) }

// backoff waits longer each time, with some chance in it so that agents do not come all at once.
type backoff struct{ next, longest time.Duration }

const shortestWait = 50 * time.Millisecond

func newBackoff(longest time.Duration) *backoff {
	return &backoff{shortestWait, max(longest, shortestWait)}
}

func (b *backoff) reset() { b.next = shortestWait }

// pause waits and reports whether ctx goes on.
func (b *backoff) pause(ctx context.Context) bool {
	delay := b.next/2 + rand.N(b.next)
	b.next = min(2*b.next, b.longest)
	return wait.Sleep(ctx, delay) == nil
}
