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
	// silent is how long an agent may be silent before it gets no more tasks.
	silent  time.Duration
	endings *endings // of the server

	mu         sync.Mutex
	row        trowel.Agent
	seen       time.Time // last sign of life
	suspended  bool      // the agent takes no new tasks
	given      map[trowel.TryID]*grant
	stream     *Stream   // nil if it is not connected
	since      time.Time // when the last stream ended
	connects   int       // how often it has connected
	connecting int       // of those, the connections that are not written to the row yet
}

// grant is a try that the agent has or will have.
type grant struct {
	lease  *trowel.Lease // nil if another server gave it
	sent   bool          // put into a stream, or confirmed by the agent
	had    bool          // confirmed by the agent
	missed int           // heartbeats in a row in which neither the database nor the agent had it
}

// awaited reports whether the try runs by the database, but its lease was not made yet.
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
func (p *peer) Serves(n *trowel.Requirements) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.row.Serves(n)
}

// Allows implements queue.Agent.
func (p *peer) Allows(n *trowel.Requirements) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.row.Allows(n)
}

// Free implements queue.Agent. An agent that is not connected, or has been silent for most of a lease, has no free slot.
func (p *peer) Free() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream == nil || p.suspended || !p.row.DrainedAt.IsZero() || p.now().Sub(p.seen) > p.silent {
		return 0
	}
	return max(p.row.Slots-len(p.given), 0)
}

// Assign implements queue.Agent. Leases wait while there is no connection.
func (p *peer) Assign(leases []*trowel.Lease) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, lease := range leases {
		g := p.given[lease.ID()]
		if g != nil && g.sent {
			continue // a lease that was sent again, and had just been given
		}
		g = &grant{lease: lease}
		p.given[lease.ID()] = g
		if p.stream != nil {
			p.stream.addLease(g)
		}
	}
}

// Cancel implements queue.Agent. An agent that is not connected is told once it connects.
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

// has reports whether this server knows that the agent has a try of an attempt. It does not know the attempt of a try
// that another server gave. The call is a sign of life.
func (p *peer) has(id trowel.TryID, attempt trowel.AttemptID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = p.now()
	g := p.given[id]
	return g != nil && g.lease != nil && g.lease.AttemptID == attempt
}

// taskName is the full name of a try's task; empty if another server gave the try.
func (p *peer) taskName(id trowel.TryID) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.given[id]; g != nil && g.lease != nil {
		return g.lease.FullName
	}
	return ""
}

// end reports a try and frees its slot in one step, so whoever sees the free slot finds the report too.
func (p *peer) end(id trowel.TryID, report func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.given, id)
	report()
}

// begin ends the stream because a new one begins. Until connected is called, the row may name another server.
func (p *peer) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connects++
	p.connecting++
	p.endStream()
}

// connected ends begin, whether it succeeded or not.
func (p *peer) connected() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connecting--
}

// generation returns the number of the latest connection, and whether a row that is read now names the server of that
// connection.
func (p *peer) generation() (number int, current bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.connects, p.connecting == 0
}

func (p *peer) endStream() {
	if p.stream != nil {
		p.stream.closed = true
		p.stream.wake.Set()
		p.stream, p.since = nil, p.now()
	}
}

// leave asks the agent to go to another server, and ends the stream.
func (p *peer) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream != nil {
		p.stream.leave = true
	}
	p.endStream()
}

// absent reports whether the agent has not been connected for longer than limit.
func (p *peer) absent(now time.Time, limit time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stream == nil && now.Sub(p.since) > limit
}

// drain sets whether the agent is drained, and reports whether that has changed.
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
func (p *peer) alive(suspended bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen, p.suspended = p.now(), suspended
	return p.stream != nil && !suspended && p.row.DrainedAt.IsZero()
}

// suspend notes that the agent takes no new tasks.
func (p *peer) suspend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.suspended = true
}

// maxReason is the longest suspend reason of an agent, in bytes.
const maxReason = 500

// suspendReason is why the agent has suspended taking tasks, as it is stored.
func (p *peer) suspendReason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.row.SuspendReason
}

// setSuspendReason notes what was stored.
func (p *peer) setSuspendReason(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.row.SuspendReason = reason
}

// compare matches the given tries with those that the database has and those that the agent says it has. lost are tries
// that the agent has and must end. again are tries that run by the database but were not given here, so their leases
// must be sent again. Tries whose reports came after the database was read are skipped: they take no slot any more.
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
		p.given[id] = &grant{} // takes its slot until the lease is sent
		again = append(again, id)
	}
	for id, g := range p.given {
		if _, runs := running[id]; runs || held[id] {
			g.missed = 0
		} else if g.missed++; g.missed > 1 || g.had { // if the agent had it, it was given long before the database was read
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
		case g.lease == nil && runs: // the agent does not have it, and this server has no lease of it
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

// check refuses callers with another token than the agent's.
func (p *peer) check(token trowel.TokenID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.row.ID == "" {
		return nil // it is connecting, which checks its row
	}
	return check(&p.row, token)
}

// idle reports whether the agent has no tries, as far as this server knows.
func (p *peer) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.given) == 0
}
