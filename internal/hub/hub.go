package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/wait"
)

// Flusher claims tasks for agents and writes what they report.
type Flusher interface {
	// Attach makes an agent known; it replaces one with the same id. Detach removes it.
	Attach(a queue.Agent)
	Detach(id string)
	// Resend sends the leases of tries that an attached agent runs once more.
	Resend(ctx context.Context, agentID string, tries []trowel.TryID) error
	// Wake says that an agent has a free slot.
	Wake()
	// Resync says that there may be leases whose expiry must be watched.
	Resync()
}

// Options are the dependencies of a Hub. Everything is required unless a comment says otherwise.
type Options struct {
	Store    trowel.Store
	Flusher  Flusher
	Renewals *queue.Renewals
	// Report passes a report to the flusher. It does not block.
	Report   func(trowel.Report)
	ServerID string // identifies this process among the servers on a database
	Version  string // of this program
	// Heartbeat is how often agents shall renew their lease, which lasts for Lease.
	Heartbeat time.Duration
	Lease     time.Duration
	// TaskLimit is the largest number of tasks of an attempt, MaxReport the largest size of a report in bytes.
	TaskLimit int
	MaxReport int64
	// Secrets finds the secrets of a project.
	Secrets  func(project trowel.ProjectID) secret.Finder
	Sessions operator.Sessions
	Params   operator.ParamServer
	// KeepOutput stores chunks of logs; nil to keep none.
	KeepOutput func(ctx context.Context, chunks []trowel.LogChunk) error
	Now        func() time.Time
	Log        *slog.Logger
}

// Bounds of two intervals: between signs of life of a connection, and between reads of the agents' rows.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = 5 * time.Second
)

// Hub has the remote agents of a server. It is safe for concurrent use.
type Hub struct {
	opts      Options
	keepAlive time.Duration
	wake      wait.Signal // rows have changed
	endings   endings

	mu       sync.Mutex
	peers    map[string]*peer
	draining bool // refuses streams
}

// New returns a Hub; call Run.
func New(opts Options) *Hub {
	if opts.Heartbeat <= 0 {
		opts.Heartbeat = queue.DefaultHeartbeat
	}
	if opts.Lease <= 0 {
		opts.Lease = queue.DefaultLease
	}
	return &Hub{
		opts: opts, peers: map[string]*peer{}, wake: wait.NewSignal(), keepAlive: min(max(opts.Lease/6, shortestPause), longestPause),
	}
}

// Run compares the connected agents with their rows from time to time, until ctx ends. It forgets an agent that another
// server has taken over, that no longer exists, or that has not been connected for the length of a lease. A drained
// agent gets no new tasks. Without connected agents it reads nothing.
func (h *Hub) Run(ctx context.Context) error {
	ticker := time.NewTicker(min(h.keepAlive, 3*time.Second))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		case <-h.wake:
		}
		if err := h.refresh(ctx); err != nil && ctx.Err() == nil {
			h.opts.Log.WarnContext(ctx, "agents not listed", slog.Any("error", err))
		}
	}
}

// AgentsChanged says that rows of agents have changed: an agent shall be drained, or resume.
func (h *Hub) AgentsChanged() { h.wake.Set() }

// Drain asks all agents to go to another server, and refuses new connections. Reports and requests are answered as
// before. It is the first step of an orderly stop.
func (h *Hub) Drain() {
	h.mu.Lock()
	h.draining = true
	all := h.peers
	h.peers = map[string]*peer{}
	h.mu.Unlock()
	for _, p := range all {
		p.leave()
		h.opts.Flusher.Detach(p.id)
	}
}

// find returns an agent that is connected here or was until recently; otherwise nil.
func (h *Hub) find(id string) *peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.peers[id]
}

// list returns all agents.
func (h *Hub) list() []*peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*peer, 0, len(h.peers))
	for _, p := range h.peers {
		all = append(all, p)
	}
	return all
}

// forget ends the connection of an agent and stops claiming for it.
func (h *Hub) forget(p *peer, why string) {
	h.mu.Lock()
	present := h.peers[p.id] == p
	if present {
		delete(h.peers, p.id)
	}
	h.mu.Unlock()
	if !present {
		return
	}
	p.leave()
	h.opts.Flusher.Detach(p.id)
	h.opts.Log.Info("agent left", slog.String("agent", p.name()), slog.String("reason", why))
}

// refresh compares the connected agents with their rows. An agent that connects meanwhile is skipped, because its row
// may have been read before it named this server.
func (h *Hub) refresh(ctx context.Context) error {
	all := h.list()
	if len(all) == 0 {
		return nil
	}
	generations := make([]int, len(all))
	for i, p := range all {
		generation, current := p.generation()
		if !current {
			generation = -1
		}
		generations[i] = generation
	}
	rows := map[string]*trowel.Agent{}
	err := h.opts.Store.View(ctx, func(tx trowel.Tx) error {
		clear(rows)
		agents, err := tx.ListAgents(ctx)
		for _, a := range agents {
			rows[a.ID] = a
		}
		return err
	})
	if err != nil {
		return err
	}
	now := h.opts.Now()
	for i, p := range all {
		if generation, _ := p.generation(); generation != generations[i] {
			continue
		}
		row := rows[p.id]
		switch {
		case row == nil:
			h.forget(p, "its lease has ended")
		case row.ServerID != h.opts.ServerID:
			h.forget(p, "it is connected to another server")
		case p.absent(now, h.opts.Lease):
			h.forget(p, "it is not connected any more")
		case p.drain(row.DrainedAt):
			h.opts.Flusher.Attach(p) // the flusher may have removed it
		}
	}
	return nil
}

// unknown is the error for an agent that is not stored.
func unknown(id string) *trowel.Error {
	return &trowel.Error{
		Kind: trowel.ErrNotFound, Message: "there is no agent " + id + ": its lease has ended, or it was never registered",
		Hint: "register anew; what it runs is not its own any more",
	}
}

// errForeign is the ErrNotFound for an agent that was registered with another token.
var errForeign = fmt.Errorf("%w: it was registered with another token", trowel.ErrNotFound)

// check refuses callers with another token than the agent's. The error is the same as for an agent that does not exist.
func check(row *trowel.Agent, token trowel.TokenID) error {
	if row.Token == token {
		return nil
	}
	err := unknown(row.ID)
	err.Kind = errForeign
	return err
}

// find looks for the row of an agent, which must have been registered with the token.
func find(ctx context.Context, tx trowel.Tx, id string, token trowel.TokenID) error {
	row, err := tx.FindAgent(ctx, id)
	if errors.Is(err, trowel.ErrNotFound) {
		return unknown(id)
	}
	if err != nil {
		return err
	}
	return check(row, token)
}

// own returns the running tasks of an agent, by try.
func (h *Hub) own(ctx context.Context, id string, token trowel.TokenID) (running map[trowel.TryID]trowel.LiveTask, err error) {
	err = h.opts.Store.View(ctx, func(tx trowel.Tx) error {
		if err = find(ctx, tx, id, token); err == nil {
			running, err = runningOf(ctx, tx, id)
		}
		return err
	})
	return running, err
}

// runningOf returns what an agent runs, by the database.
func runningOf(ctx context.Context, tx trowel.Tx, id string) (map[trowel.TryID]trowel.LiveTask, error) {
	list, err := tx.ListRunningOf(ctx, id)
	if err != nil {
		return nil, err
	}
	running := make(map[trowel.TryID]trowel.LiveTask, len(list))
	for i := range list {
		running[trowel.TryID{Task: list[i].TaskID, Number: list[i].Try}] = list[i]
	}
	return running, nil
}
