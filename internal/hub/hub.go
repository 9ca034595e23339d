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
	// Attach makes an agent known, in place of one with its id; Detach forgets it.
	Attach(a queue.Agent)
	Detach(id string)
	// Resend gives the leases of tries that an attached agent runs once more.
	Resend(ctx context.Context, agentID string, tries []trowel.TryID) error
	// Wake tells that an agent has room.
	Wake()
	// Missed tells that there may be leases whose end is to be watched.
	Missed()
}

// Options are what a Hub works with. Everything without a remark is required.
type Options struct {
	Store    trowel.Store
	Flusher  Flusher
	Renewals *queue.Renewals
	// Report hands a report to the flusher. It does not block.
	Report   func(trowel.Report)
	ServerID string // of this process among the servers of a database
	Version  string // of this server
	// Heartbeat is how often agents are to renew their lease, which lasts for Lease.
	Heartbeat time.Duration
	Lease     time.Duration
	// TaskLimit is how many tasks an attempt may have, and MaxReport how many bytes a report.
	TaskLimit int
	MaxReport int64
	// Secrets finds the secrets of a project.
	Secrets  func(project trowel.ProjectID) secret.Finder
	Sessions operator.Sessions
	Params   operator.ParamServer
	// KeepOutput stores pieces of logs; nil if none are kept.
	KeepOutput func(ctx context.Context, chunks []trowel.LogChunk) error
	Now        func() time.Time
	Log        *slog.Logger
}

// Bounds of how often a connection shows that it lives, and of how often agents' rows are read.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = 5 * time.Second
)

// Hub has the remote agents of a server. Its methods may be called concurrently.
type Hub struct {
	opts      Options
	keepAlive time.Duration
	wake      wait.Signal // rows have changed
	endings   endings

	mu      sync.Mutex
	peers   map[string]*peer
	resting bool // takes no streams
}

// New returns a Hub; Run keeps its agents in step with their rows.
func New(opts Options) *Hub {
	if opts.Heartbeat <= 0 {
		opts.Heartbeat = queue.DefaultEvery
	}
	if opts.Lease <= 0 {
		opts.Lease = queue.DefaultLease
	}
	return &Hub{
		opts: opts, peers: map[string]*peer{}, wake: wait.NewSignal(), keepAlive: min(max(opts.Lease/6, shortestPause), longestPause),
	}
}

// Run looks at the rows of the connected agents now and then: one that another server has taken over, that
// is gone, or that has not been connected for a lease, is forgotten; one that was drained gets nothing new.
// It ends with ctx. Without connected agents it asks for nothing.
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

// AgentsChanged tells that rows of agents have changed: one is to be drained, or to go on.
func (h *Hub) AgentsChanged() { h.wake.Set() }

// Rest asks all agents to go to another server, and lets none connect. What they report and ask for is
// answered as ever. It is the first step of an orderly stop.
func (h *Hub) Rest() {
	h.mu.Lock()
	h.resting = true
	all := h.peers
	h.peers = map[string]*peer{}
	h.mu.Unlock()
	for _, p := range all {
		p.leave()
		h.opts.Flusher.Detach(p.id)
	}
}

// find returns the agent if it is connected here, or was a short time ago; nil otherwise.
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

// forget ends the connection of an agent and takes nothing more for it.
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

// refresh compares the connected agents with their rows. One that connects meanwhile is left alone: its row
// may have been read before it named this server.
func (h *Hub) refresh(ctx context.Context) error {
	all := h.list()
	if len(all) == 0 {
		return nil
	}
	turns := make([]int, len(all))
	for i, p := range all {
		begun, settled := p.turn()
		if !settled {
			begun = -1
		}
		turns[i] = begun
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
		if begun, _ := p.turn(); begun != turns[i] {
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
			h.opts.Flusher.Attach(p) // the flusher forgets those for whom it must not claim
		}
	}
	return nil
}

// unknown says that an agent is not stored.
func unknown(id string) *trowel.Error {
	return &trowel.Error{
		Kind: trowel.ErrNotFound, Message: "there is no agent " + id + ": its lease has ended, or it was never registered",
		Hint: "register anew; what it runs is not its own any more",
	}
}

// errForeign is the ErrNotFound of an agent that came with another token.
var errForeign = fmt.Errorf("%w: it was registered with another token", trowel.ErrNotFound)

// check refuses who calls in the name of an agent that came with another token. They are told what is told of
// one that does not exist.
func check(row *trowel.Agent, token trowel.TokenID) error {
	if row.Token == token {
		return nil
	}
	err := unknown(row.ID)
	err.Kind = errForeign
	return err
}

// find looks for the row of an agent, which must have come with the token.
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

// own returns the running tasks of an agent, by their tries.
func (h *Hub) own(ctx context.Context, id string, token trowel.TokenID) (running map[trowel.TryID]trowel.LiveTask, err error) {
	err = h.opts.Store.View(ctx, func(tx trowel.Tx) error {
		if err = find(ctx, tx, id, token); err == nil {
			running, err = runningOf(ctx, tx, id)
		}
		return err
	})
	return running, err
}

// runningOf lists what an agent runs by the database.
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
