package flush

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// images are the attempts in memory, and the order in which those with ready tasks are served.
type images struct {
	byID  map[trowel.AttemptID]*attempt
	turns queue.Turns[*attempt]
}

// attempt is an image, when it goes on, and who waits for its end.
type attempt struct {
	*engine.Image // nil if it was forgotten: the store is right

	id      trowel.AttemptID
	alarms  alarmQueue
	place   int       // in timers.queue; -1 if it has no alarms
	limitAt time.Time // the alarm for its limits of time; zero if there is none
	ended   []chan trowel.Attempt

	resumed   bool // has rows in resumed_task
	monitored bool // may have a row in monitor
}

// close tells those who wait that the end will not be seen.
func (a *attempt) close() {
	for _, ch := range a.ended {
		close(ch)
	}
	a.ended = nil
}

// wanting tells whether there is something to claim, or nobody knows because the image was
// forgotten.
func (a *attempt) wanting() bool {
	if a.Image == nil {
		return true
	}
	_, ok := a.NextReady()
	return ok
}

// running tells whether events can be applied.
func (a *attempt) running() bool { return a != nil && a.Image != nil && !a.Done() }

func (im *images) add(id trowel.AttemptID, img *engine.Image) *attempt {
	known := im.byID[id]
	if known == nil {
		known = &attempt{id: id, place: -1}
		im.byID[id] = known
	}
	known.Image = img
	return known
}
