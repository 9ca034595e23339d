package flush

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
)

// Observer is called after every commit, before the tasks that follow from it are given to agents. An
// error ends the flusher: nothing more is started.
type Observer interface {
	Committed(batch *Batch) error
}

// Listener is called after every commit, after the observers. It cannot stop anything, and it must not
// block, as the flusher waits for it.
type Listener interface {
	Heard(batch *Batch)
}

// Batch is what one transaction changed. Its tasks are live rows: observers and listeners must neither keep
// nor change them.
type Batch struct {
	At       time.Time
	Changes  []engine.Change
	Tries    []trowel.Try
	Started  []trowel.Attempt
	Killed   []trowel.Attempt // asked to stop; one that could stop at once is in Ended as well
	Ended    []trowel.Attempt
	Timeouts []Timeout
	Warnings []string
	Waits    []Wait // set for listeners

	settings map[trowel.AttemptID]*trowel.AttemptContext
}

// Timeout is an attempt that was killed because a time limit had passed (language X62).
type Timeout struct {
	Attempt trowel.Attempt
	Message string // for the notification, in Digdag's words
}

// Context returns what an attempt of the batch belongs to; nil if the attempt did not change.
func (b *Batch) Context(id trowel.AttemptID) *trowel.AttemptContext { return b.settings[id] }

// canceled lists the running tries that were asked to stop, by the ids of their agents.
func (b *Batch) canceled() map[string][]trowel.TryID {
	tries := map[string][]trowel.TryID{}
	for i := range b.Changes {
		c := &b.Changes[i]
		if c.Transition == trowel.TransitionCancel && c.To == trowel.TaskRunning {
			tries[c.Task.AgentID] = append(tries[c.Task.AgentID], trowel.TryID{Task: c.Task.ID, Number: c.Task.Try})
		}
	}
	return tries
}

// returns reports whether a task of the batch stopped running, or gave something back to a limit.
func (b *Batch) returns() bool {
	for i := range b.Changes {
		if c := &b.Changes[i]; c.Freed || len(c.Given) > 0 {
			return true
		}
	}
	return false
}

// notify adds the changes to a message for other servers.
func (b *Batch) notify(n *cluster.Attempts) {
	for i := range b.Changes {
		if row := b.Changes[i].Task; row.State == trowel.TaskReady {
			n.Weight = max(n.Weight, row.Requirements.PriorityWeight())
		}
	}
	for _, noted := range [][]trowel.Attempt{b.Started, b.Killed, b.Ended} {
		for i := range noted {
			n.Noted = append(n.Noted, noted[i].ID)
		}
	}
}
