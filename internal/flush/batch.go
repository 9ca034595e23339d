package flush

import (
	"time"

	trowel "github.com/trowel-project/trowel"
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
