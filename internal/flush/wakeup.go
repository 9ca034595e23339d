package flush

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/queue"
)

// Wake tells the flusher that an agent has room again.
func (f *Flusher) Wake() { f.inbox.wake.Set() }

// Attach makes the flusher claim for another agent. It replaces one with the same id.
func (f *Flusher) Attach(a queue.Agent) {
	f.agents.attach(a)
	f.Wake()
}

// Detach ends what Attach began. The agent keeps the tries that it has.
func (f *Flusher) Detach(id string) { f.agents.detach(id) }

// StopClaiming makes the flusher claim nothing more. Reports, kills and starts are still written. It is the first
// step of an orderly stop (language X61) and cannot be undone.
func (f *Flusher) StopClaiming() { f.agents.stopped.Store(true) }

// Admit checks the waiting attempts of a workflow. Call it when one of its attempts has ended, or the workflow is
// not paused any more.
func (f *Flusher) Admit(w trowel.WorkflowName) { f.admission.request(w) }

// LimitsChanged is called when pools have changed.
func (f *Flusher) LimitsChanged() { f.OnNotify(cluster.Attempts{Limits: true}) }

// OnNotify is called with what another server has changed.
func (f *Flusher) OnNotify(n cluster.Attempts) {
	if n.Any {
		f.Resync()
		return
	}
	f.reloader.notified(&n)
	if n.Limits {
		f.claimer.limitsChanged.Store(true)
	}
	f.Wake()
}

// Resync looks now for what other servers have changed, and for leases that end. Call it when a message may have
// been lost, or when there may be a new lease.
func (f *Flusher) Resync() {
	f.claimer.limitsChanged.Store(true)
	f.recoverer.gap.Set()
}
