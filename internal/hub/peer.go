package hub

import (
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// peer is a remote agent as this server sees it. It implements queue.Agent.
type peer struct {
	id  string
	now func() time.Time
	// silent is after how long without a sign of life an agent gets nothing.
	silent  time.Duration
	endings *endings // of the server

	mu      sync.Mutex
	row     trowel.Agent
	seen    time.Time // last sign of life
	resting bool      // the agent takes nothing new
	given   map[trowel.TryID]*grant
	stream  *Stream   // nil if it is not connected
	since   time.Time // without a stream
	begun   int       // connections that were begun
	waiting int       // of them, those of which nobody knows yet whether the row says so
}

// grant is a try that the agent has, or will have.
type grant struct {
	lease  *trowel.Lease // nil if another server has given it
	sent   bool          // it was put into a stream, or the agent has said that it has it
	had    bool          // the agent has said that it has it
	missed int           // how many heartbeats in a row neither the database nor the agent had it
}

// awaited tells that the lease is still to be made, of a try that runs by the database.
func (g *grant) awaited() bool { return g.lease == nil && !g.sent }

func (p *peer) name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.row.Name
}

// ID implements queue.Agent.
func (p *peer) ID() string { return p.id }

// Remote implements queue.Agent.
func (p *peer) Remote() bool { return true }

// Serves implements queue.Agent.
func (p *peer) Serves(n *trowel.Needs) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.row.Serves(n)
}

// Free implements queue.Agent. An agent that is not connected, or was silent for most of a lease, takes
// nothing.
func (p *peer) Free() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream == nil || p.resting || !p.row.DrainedAt.IsZero() || p.now().Sub(p.seen) > p.silent {
		return 0
	}
	return max(p.row.Slots-len(p.given), 0)
}

// Give implements queue.Agent. What comes while there is no connection waits for the next one.
func (p *peer) Give(leases []*trowel.Lease) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, lease := range leases {
		g := p.given[lease.ID()]
		if g != nil && g.sent {
			continue // resent, and it had just been given
		}
		g = &grant{lease: lease}
		p.given[lease.ID()] = g
		if p.stream != nil {
			p.stream.addLease(g)
		}
	}
}

// Cancel implements queue.Agent. An agent that is not connected learns it when it is.
func (p *peer) Cancel(tries []trowel.TryID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream == nil {
		return
	}
	for _, id := range tries {
		if p.given[id] != nil {
			p.stream.cancel = append(p.stream.cancel, id)
		}
	}
	p.stream.wake.Set()
}

// has reports whether this server knows of a try of an attempt, from the agent, which is a sign of life. Of a try
// that another server has given it does not know the attempt.
func (p *peer) has(id trowel.TryID, attempt trowel.AttemptID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = p.now()
	g := p.given[id]
	return g != nil && g.lease != nil && g.lease.AttemptID == attempt
}

// taskName is the full name of the task of a try; empty if this server has not given it.
func (p *peer) taskName(id trowel.TryID) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.given[id]; g != nil && g.lease != nil {
		return g.lease.FullName
	}
	return ""
}

// end gives the slot of a try back, in one with its report: whoever sees the slot finds the report.
func (p *peer) end(id trowel.TryID, report func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.given, id)
	report()
}

// begin ends the stream for a new one. Until connected is called, the row may name another server.
func (p *peer) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun++
	p.waiting++
	p.endStream()
}

// connected ends begin, whatever became of it.
func (p *peer) connected() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting--
}

// turn is how many connections were begun, and whether a row that is read now tells of the last one.
func (p *peer) turn() (begun int, settled bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun, p.waiting == 0
}

func (p *peer) endStream() {
	if p.stream != nil {
		p.stream.closed = true
		p.stream.wake.Set()
		p.stream, p.since = nil, p.now()
	}
}

// leave asks the agent to go elsewhere, and ends the stream.
func (p *peer) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream != nil {
		p.stream.leave = true
	}
	p.endStream()
}

// absent reports whether there has been no connection for so long.
func (p *peer) absent(now time.Time, limit time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stream == nil && now.Sub(p.since) > limit
}

// drain takes over whether the agent is drained, and reports whether that is new.
func (p *peer) drain(at time.Time) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	drained := !at.IsZero()
	changed = drained == p.row.DrainedAt.IsZero()
	p.row.DrainedAt = at
	if changed && p.stream != nil {
		p.stream.drained = &drained
		p.stream.wake.Set()
	}
	return changed
}

// alive notes a sign of life, and reports whether the agent may get tasks.
func (p *peer) alive(resting bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen, p.resting = p.now(), resting
	return p.stream != nil && !resting && p.row.DrainedAt.IsZero()
}

// rest notes that the agent takes nothing new.
func (p *peer) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resting = true
}

// maxReason bounds what an agent may say about itself, in bytes.
const maxReason = 500

// restReason is why the agent takes nothing for a while, as it is stored.
func (p *peer) restReason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.row.RestReason
}

// setRestReason notes what was stored.
func (p *peer) setRestReason(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.row.RestReason = reason
}

// compare brings what was given in step with what the database has and what the agent says that it has.
// It returns what the agent has and must end, and what is neither here nor there and must be sent again. Tries whose
// reports came since the database was read are left alone: they take no slot any more.
func (p *peer) compare(running map[trowel.TryID]trowel.LiveTask, held map[trowel.TryID]bool) (lost, again []trowel.TryID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range held {
		task, runs := running[id]
		switch {
		case p.endings.has(id):
			continue
		case !runs:
			lost = append(lost, id)
			delete(p.given, id)
			continue
		case p.given[id] == nil:
			p.given[id] = &grant{sent: true}
		}
		p.given[id].had = true
		if task.Flags&trowel.TaskCancelRequested != 0 && p.stream != nil {
			p.stream.cancel = append(p.stream.cancel, id)
			p.stream.wake.Set()
		}
	}
	for id := range running {
		if g := p.given[id]; held[id] || g != nil && !g.awaited() || p.endings.has(id) {
			continue
		}
		p.given[id] = &grant{} // it takes its slot until then
		again = append(again, id)
	}
	for id, g := range p.given {
		if _, runs := running[id]; runs || held[id] {
			g.missed = 0
		} else if g.missed++; g.missed > 1 || g.had { // what it had was given long before the database was read
			delete(p.given, id)
		}
	}
	return lost, again
}

// reconnect is compare for a new stream: what was sent on an earlier one and did not arrive is sent again.
func (p *peer) reconnect(s *Stream, running map[trowel.TryID]trowel.LiveTask, held map[trowel.TryID]bool) (again []trowel.TryID) {
	lost, again := p.compare(running, held)
	p.mu.Lock()
	defer p.mu.Unlock()
	s.lost = append(s.lost, lost...)
	for id, g := range p.given {
		_, runs := running[id]
		switch {
		case held[id]:
			g.sent = true
		case g.lease != nil && (runs || !g.sent):
			s.addLease(g)
		case g.awaited():
		case g.lease == nil && runs: // the agent has lost it, and so has this server
			p.given[id] = &grant{}
			again = append(again, id)
		default:
			delete(p.given, id)
		}
	}
	for id := range held {
		if task, runs := running[id]; runs && task.Flags&trowel.TaskCancelRequested != 0 {
			s.cancel = append(s.cancel, id)
		}
	}
	if !p.row.DrainedAt.IsZero() {
		drained := true
		s.drained = &drained
	}
	p.endStream()
	p.stream, p.seen = s, p.now()
	s.wake.Set()
	return again
}

// check refuses who calls in the name of an agent that came with another token.
func (p *peer) check(token trowel.TokenID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.row.ID == "" {
		return nil // it is about to connect, and its row is checked then
	}
	return check(&p.row, token)
}

// idle reports whether the agent has nothing, as far as this server knows.
func (p *peer) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.given) == 0
}
