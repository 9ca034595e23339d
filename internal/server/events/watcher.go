package events

import (
	"strconv"

	trowel "github.com/trowel-project/trowel"
)

// Watcher collects what one stream has not sent yet. Of several events about one thing it keeps the last.
type Watcher struct {
	events *Feed
	Topic  Topic
	Ready  chan struct{} // gets a value when there is something to take; has room for one

	// Guarded by the mutex of the feed.
	attempts  map[trowel.AttemptID]struct{}
	tasks     map[trowel.TaskID]*TaskRow
	logs      map[string]*LogRow
	schedules map[trowel.ScheduleID]struct{}
	reset     bool // the client must read everything again
	// Only for the topic of an attempt. The watcher has had all changes up to version known; behind says that it has missed
	// later ones.
	known  int64
	behind bool
}

func (w *Watcher) wake() {
	select {
	case w.Ready <- struct{}{}:
	default:
	}
}

// note adds an event if it belongs to the topic.
func (w *Watcher) note(event Event) {
	switch {
	case !w.Topic.has(event):
		return
	case event.Gap:
		w.reset = true
	case event.Remote:
		w.noteRemote(event)
	case event.Schedule != 0:
		put(&w.schedules, event.Schedule, struct{}{})
	case event.Log != nil:
		put(&w.logs, event.Log.Task, event.Log)
	case event.Task != nil:
		put(&w.tasks, event.Task.ID, event.Task)
	default:
		put(&w.attempts, event.AttemptID, struct{}{})
	}
	if w.Topic.kind == "attempt" && event.Version > w.known {
		if event.Version == w.known+1 {
			w.known++
		} else {
			w.behind = true // the changes between are missing
		}
	}
}

// noteRemote adds a change by another server. The stream has to read what changed.
func (w *Watcher) noteRemote(event Event) {
	switch {
	case w.Topic.kind == "attempt":
		w.behind = true
	case event.AttemptID == 0:
		w.reset = true
	}
	if event.AttemptChanged {
		put(&w.attempts, event.AttemptID, struct{}{})
	}
}

// replay adds an event for a stream that comes back. Which version of an attempt its client has is not known, so changes
// by other servers reset it.
func (w *Watcher) replay(event Event) {
	w.note(event)
	w.reset = w.reset || event.Remote && w.Topic.kind == "attempt" && w.Topic.has(event)
}

// CaughtUp records that the stream has all changes of its attempt up to a version.
func (w *Watcher) CaughtUp(version int64) {
	w.events.mu.Lock()
	defer w.events.mu.Unlock()
	w.known = max(w.known, version)
}

func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// Batch is what a watcher has collected up to a position.
type Batch struct {
	Position  string
	Attempts  map[trowel.AttemptID]struct{}
	Tasks     map[trowel.TaskID]*TaskRow
	Logs      map[string]*LogRow
	Schedules map[trowel.ScheduleID]struct{}
	Reset     bool
	Behind    bool
	Known     int64 // the version before the missed changes
}

// AddTask adds a task that was read later.
func (g *Batch) AddTask(row *TaskRow) { put(&g.Tasks, row.ID, row) }

// Take returns and removes all that was collected. open reports whether the stream goes on.
func (w *Watcher) Take() (g Batch, open bool) {
	e := w.events
	e.mu.Lock()
	defer e.mu.Unlock()
	g = Batch{
		Position: e.epoch + "-" + strconv.FormatInt(e.next, 10),
		Attempts: w.attempts, Tasks: w.tasks, Logs: w.logs, Schedules: w.schedules,
		Reset: w.reset, Behind: w.behind, Known: w.known,
	}
	w.attempts, w.tasks, w.logs, w.schedules = nil, nil, nil, nil
	w.reset, w.behind = false, false
	return g, !e.closed
}
