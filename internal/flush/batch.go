package flush

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
)

// Observer hears of every commit, before the tasks that it made possible are given to an agent. An
// error ends the flusher: nothing more is started.
type Observer interface {
	Committed(batch *Batch) error
}

// Listener hears of every commit, too, after the observers, and cannot stop anything. It is called by
// the flusher itself, so it must not block.
type Listener interface {
	Heard(batch *Batch)
}

// Batch is what one transaction changed. Its tasks are live rows: who hears of them neither keeps
// nor changes them.
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

	settings map[trowel.AttemptID]*trowel.Setting
}

// Timeout is a limit of time that has passed, so that its attempt was killed (language X62).
type Timeout struct {
	Attempt trowel.Attempt
	Message string // for the notification, in Digdag's words
}

// Setting returns what an attempt of the batch belongs to; nil if nothing of it changed.
func (b *Batch) Setting(id trowel.AttemptID) *trowel.Setting { return b.settings[id] }

// canceled lists the running tries that were asked to stop, by their agents.
func (b *Batch) canceled() map[string][]trowel.TryID {
	tries := map[string][]trowel.TryID{}
	for i := range b.Changes {
		c := &b.Changes[i]
		if c.Move == trowel.MoveCancel && c.To == trowel.TaskRunning {
			tries[c.Task.AgentID] = append(tries[c.Task.AgentID], trowel.TryID{Task: c.Task.ID, Number: c.Task.Try})
		}
	}
	return tries
}

// returns reports whether a task of the batch has stopped running, or has given something back to a limit.
func (b *Batch) returns() bool {
	for i := range b.Changes {
		if c := &b.Changes[i]; c.Freed || len(c.Given) > 0 {
			return true
		}
	}
	return false
}

// notify adds to what other servers are told.
func (b *Batch) notify(n *cluster.Attempts) {
	for i := range b.Changes {
		if row := b.Changes[i].Task; row.State == trowel.TaskReady {
			n.Weight = max(n.Weight, row.Needs.PriorityWeight())
		}
	}
	for _, noted := range [][]trowel.Attempt{b.Started, b.Killed, b.Ended} {
		for i := range noted {
			n.Noted = append(n.Noted, noted[i].ID)
		}
	}
}
