package hub

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/wait"
)

// Stream is the connection by which an agent gets its leases.
type Stream struct {
	peer      *peer
	keepAlive time.Duration
	wake      wait.Signal

	// Guarded by the mutex of the peer.
	leases       []*trowel.Lease
	cancel, lost []trowel.TryID
	drained      *bool
	leave        bool
	closed       bool
}

// Connect begins the stream of an agent and ends an earlier one. From then on this server claims tasks for it. An agent
// that is not stored is an ErrNotFound. A server that is stopping or cannot use its database is an ErrUnavailable.
func (h *Hub) Connect(ctx context.Context, id string, token trowel.TokenID, held api.AgentHeld) (*Stream, error) {
	p, err := h.begin(id)
	if err != nil {
		return nil, err
	}
	defer p.connected()
	defer h.endings.read()()
	row, running, err := h.take(ctx, id, token)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.row, p.suspended = *row, held.Resting
	p.mu.Unlock()
	h.heard(ctx, p, &held)
	s := &Stream{peer: p, keepAlive: h.keepAlive, wake: wait.NewSignal()}
	again := p.reconnect(s, running, triesOf(held.Tries))
	if h.isDraining() {
		p.leave()
		return nil, ending()
	}
	h.opts.Flusher.Attach(p)
	h.opts.Flusher.Wake()
	h.opts.Log.InfoContext(ctx, "agent connected", slog.String("agent", row.Name), slog.String("host", row.Host), slog.String("version", row.Version),
		slog.Int("slots", row.Slots), slog.Int("held", len(held.Tries)), slog.Int("again", len(again)))
	if len(again) > 0 {
		if err := h.opts.Flusher.Resend(ctx, id, again); err != nil {
			s.Close()
			return nil, fmt.Errorf("send leases again to agent %s: %w", id, err)
		}
	}
	return s, nil
}

// begin returns the agent. An earlier stream gets nothing more: what is claimed from now on waits for the new one.
func (h *Hub) begin(id string) (*peer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		return nil, ending()
	}
	p := h.peers[id]
	if p == nil {
		p = &peer{id: id, now: h.opts.Now, silent: h.opts.Lease * 2 / 3, given: map[trowel.TryID]*grant{}, since: h.opts.Now(), endings: &h.endings}
		h.peers[id] = p
	}
	p.begin()
	return p, nil
}

func (h *Hub) isDraining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.draining
}

func ending() error {
	return &trowel.Error{
		Kind: trowel.ErrUnavailable, Message: "this server is about to end and gives no tasks away", Hint: "connect to another one",
	}
}

// take writes this server into the row of an agent, and returns the row with the running tries. It renews the lease
// first, so that nobody deletes the row meanwhile.
func (h *Hub) take(ctx context.Context, id string, token trowel.TokenID) (*trowel.Agent, map[trowel.TryID]trowel.LiveTask, error) {
	var row *trowel.Agent
	var running map[trowel.TryID]trowel.LiveTask
	now := h.opts.Now()
	err := h.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		renewed, err := tx.RenewLeases(ctx, []string{id}, now, now.Add(h.opts.Lease))
		if err != nil {
			return err
		}
		if len(renewed) == 0 {
			return unknown(id)
		}
		if row, err = tx.FindAgent(ctx, id); err != nil {
			return err
		}
		if err := check(row, token); err != nil {
			return err
		}
		if row.ServerID != h.opts.ServerID {
			row.ServerID = h.opts.ServerID
			if err := tx.PutAgent(ctx, row); err != nil {
				return err
			}
		}
		running, err = runningOf(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return row, running, nil
}

func triesOf(list []api.AgentTry) map[trowel.TryID]bool {
	tries := make(map[trowel.TryID]bool, len(list))
	for _, t := range list {
		tries[tryOf(t)] = true
	}
	return tries
}

func tryOf(t api.AgentTry) trowel.TryID {
	return trowel.TryID{Task: trowel.TaskID(t.TaskID), Number: t.Try}
}

func shapesOf(tries []trowel.TryID) []api.AgentTry {
	var shapes []api.AgentTry
	for _, t := range tries {
		shapes = append(shapes, api.AgentTry{TaskID: int64(t.Task), Try: t.Number})
	}
	return shapes
}

// addLease is called under the mutex of the peer.
func (s *Stream) addLease(g *grant) {
	g.sent = true
	s.leases = append(s.leases, g.lease)
	s.wake.Set()
}

// Next waits for the next message and returns it. After a while without one it returns an empty message. It returns
// io.EOF at the end of the stream, and the cause of ctx if that ends.
func (s *Stream) Next(ctx context.Context) (*api.AgentMessage, error) {
	timer := time.NewTimer(s.keepAlive)
	defer timer.Stop()
	for {
		message, leases, open := s.take()
		if message == nil && !open {
			return nil, io.EOF
		}
		if message != nil {
			for _, lease := range leases {
				message.Leases = append(message.Leases, leaseShape(lease))
			}
			return message, nil
		}
		select {
		case <-s.wake:
		case <-timer.C:
			return &api.AgentMessage{}, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// take returns what can be sent now; message is nil if there is nothing.
func (s *Stream) take() (message *api.AgentMessage, leases []*trowel.Lease, open bool) {
	s.peer.mu.Lock()
	defer s.peer.mu.Unlock()
	leases = s.leases
	if len(leases) > 0 || len(s.cancel) > 0 || len(s.lost) > 0 || s.drained != nil || s.leave {
		message = &api.AgentMessage{Cancel: shapesOf(s.cancel), Lost: shapesOf(s.lost), Drained: s.drained, Leave: s.leave}
	}
	s.leases, s.cancel, s.lost, s.drained, s.leave = nil, nil, nil, nil, false
	return message, leases, !s.closed
}

// Close says that the connection has ended. Closing twice is harmless.
func (s *Stream) Close() {
	p := s.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	s.closed = true
	if p.stream == s {
		p.stream, p.since = nil, p.now()
	}
}
