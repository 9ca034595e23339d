package flush

import (
	"container/list"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// maxImages is how many tasks the images of attempts have together, at which those that were not used for
// longest are forgotten.
const maxImages = 200_000

// images are the attempts that a flusher knows. Of most it knows only what they wait for; those that a
// transaction touched last have an image.
type images struct {
	byID   map[trowel.AttemptID]*attempt
	recent *list.List // of the attempts with an image, the one used last first
	tasks  int        // in these images
}

func newImages() images { return images{byID: map[trowel.AttemptID]*attempt{}, recent: list.New()} }

// attempt is what is known of one that runs: its image, when it goes on, and who waits for its end.
type attempt struct {
	*engine.Image // nil if there is none: the store is right

	id       trowel.AttemptID
	workflow trowel.WorkflowName
	control  trowel.Control
	version  int64 // of the attempt, when its alarms and ready tasks were those that are known
	alarms   alarmQueue
	place    int       // in timers.queue; -1 if it has no alarms
	limitAt  time.Time // the alarm for its limits of time; zero if there is none
	ended    []chan trowel.Attempt

	stored state // of the attempt, in the store

	left error // why it is left alone; nil if it is not

	own int // transactions of this flusher since another one has changed it, as far as is known

	used *list.Element // in images.recent; nil without an image
	size int           // of the image, as it is counted there

	resumed   bool // has rows in resumed_task
	monitored bool // may have a row in monitor
}

// state is what changes of an attempt beside its version.
type state struct {
	flags trowel.AttemptFlags
	wait  string
}

func stateOf(a *trowel.Attempt) state { return state{a.Flags, a.WaitReason} }

// close tells those who wait that the end will not be seen.
func (a *attempt) close() {
	for _, ch := range a.ended {
		close(ch)
	}
	a.ended = nil
}

// running reports whether events can be applied.
func (a *attempt) running() bool { return a != nil && a.Image != nil && !a.Done() }

// ready is a ready task as the queue knows it.
func (a *attempt) ready(row *trowel.Task) queue.Ready {
	return queue.Ready{
		Attempt: a.id, Task: row.ID, At: row.ReadyAt, Workflow: a.workflow, Needs: row.Needs, Control: a.control, Held: row.Holds,
	}
}

// know returns what is known of an attempt, and makes a place for it if there is none.
func (im *images) know(id trowel.AttemptID) *attempt {
	a := im.byID[id]
	if a == nil {
		a = &attempt{id: id, place: -1}
		im.byID[id] = a
	}
	return a
}

// put gives an attempt an image.
func (im *images) put(a *attempt, img *engine.Image) {
	im.byID[a.id] = a
	a.Image, a.left, a.stored = img, nil, stateOf(&img.Attempt)
	setting := img.Setting()
	a.workflow = trowel.WorkflowName{ProjectID: setting.Project.ID, Name: setting.Workflow.Name}
	a.control = setting.Control
	im.touch(a)
}

// touch notes that the image of an attempt was used, and counts its tasks anew.
func (im *images) touch(a *attempt) {
	if a.used == nil {
		a.used = im.recent.PushFront(a)
	} else {
		im.recent.MoveToFront(a.used)
	}
	im.tasks += a.Len() - a.size
	a.size = a.Len()
	a.version = a.Attempt.Version
}

// forget drops the image of an attempt, but not what it waits for, nor who waits for its end.
func (im *images) forget(a *attempt) {
	if a.used != nil {
		im.recent.Remove(a.used)
	}
	im.tasks -= a.size
	a.Image, a.used, a.size, a.own = nil, nil, 0, 0
}

// trim forgets the images that were not used for longest, as long as there are too many tasks in them.
// Those that the last transaction used stay.
func (im *images) trim(keep int) {
	for im.tasks > maxImages && im.recent.Len() > keep {
		im.forget(im.recent.Back().Value.(*attempt)) //nolint:forcetypeassert // the list holds nothing else
	}
}
