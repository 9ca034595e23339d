package flush

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/queue"
)

// Wake tells the flusher that an agent has room again.
func (f *Flusher) Wake() { f.inbox.wake.raise() }

// Attach lets the flusher claim for another agent, in place of one with the same id.
func (f *Flusher) Attach(a queue.Agent) {
	f.agents.attach(a)
	f.Wake()
}

// Detach ends what Attach began. Tries that the agent was given stay its own.
func (f *Flusher) Detach(id string) { f.agents.detach(id) }

// StopClaiming claims nothing more: what is ready stays so, while reports, kills and starts are still written.
// It is the first step of an orderly stop (language X61) and cannot be taken back.
func (f *Flusher) StopClaiming() { f.agents.stopped.Store(true) }

// Admit tells that attempts of a workflow that wait may perhaps begin: one has ended, or the workflow is
// not paused any more.
func (f *Flusher) Admit(w trowel.WorkflowName) { f.admission.request(w) }

// LimitsChanged tells that pools have changed.
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

// Resync looks now for what other servers have changed: a message of one may have been lost, or there are
// leases whose end is to be watched.
func (f *Flusher) Resync() {
	f.claimer.limitsChanged.Store(true)
	f.recoverer.gap.raise()
}
