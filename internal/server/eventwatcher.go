package server

import (
	"strconv"

	trowel "github.com/trowel-project/trowel"
)

// watcher gathers what one stream has not sent yet. Events of one thing are merged: the last one
// counts.
type watcher struct {
	events *Events
	topic  topic
	ready  chan struct{} // has room for one

	// Under the mutex of Events.
	attempts  map[trowel.AttemptID]struct{}
	tasks     map[trowel.TaskID]*TaskRow
	logs      map[string]*LogRow
	schedules map[trowel.ScheduleID]struct{}
	reset     bool // the stream must be read anew
	// Of the topic of one attempt: all changes up to version told came here; behind tells that there
	// are later ones that did not.
	told   int64
	behind bool
}

func (w *watcher) wake() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// note keeps an event if it is of the topic.
func (w *watcher) note(event Event) {
	switch {
	case !w.topic.has(event):
		return
	case event.Missed:
		w.reset = true
	case event.Elsewhere:
		w.noteElsewhere(event)
	case event.Schedule != 0:
		put(&w.schedules, event.Schedule, struct{}{})
	case event.Log != nil:
		put(&w.logs, event.Log.Task, event.Log)
	case event.Task != nil:
		put(&w.tasks, event.Task.ID, event.Task)
	default:
		put(&w.attempts, event.AttemptID, struct{}{})
	}
	if w.topic.kind == "attempt" && event.Version > w.told {
		if event.Version == w.told+1 {
			w.told++
		} else {
			w.behind = true // nobody has told of the change between, if there was one
		}
	}
}

// noteElsewhere keeps that another server has changed something, for the stream to look for.
func (w *watcher) noteElsewhere(event Event) {
	switch {
	case w.topic.kind == "attempt":
		w.behind = true
	case event.AttemptID == 0:
		w.reset = true
	}
	if event.Noted {
		put(&w.attempts, event.AttemptID, struct{}{})
	}
}

// replay notes an event for somebody who was away. How much of an attempt they know is not known, so
// what another server did to it is lost.
func (w *watcher) replay(event Event) {
	w.note(event)
	w.reset = w.reset || event.Elsewhere && w.topic.kind == "attempt" && w.topic.has(event)
}

// caughtUp tells that the stream has all changes of its attempt up to a version.
func (w *watcher) caughtUp(version int64) {
	w.events.mu.Lock()
	defer w.events.mu.Unlock()
	w.told = max(w.told, version)
}

func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// gathered is what a watcher had to send at a position.
type gathered struct {
	position  string
	attempts  map[trowel.AttemptID]struct{}
	tasks     map[trowel.TaskID]*TaskRow
	logs      map[string]*LogRow
	schedules map[trowel.ScheduleID]struct{}
	reset     bool
	behind    bool
	told      int64 // before what is behind
}

// addTask adds a row that was read later.
func (g *gathered) addTask(row *TaskRow) { put(&g.tasks, row.ID, row) }

// take returns all that was gathered. open reports whether the stream goes on.
func (w *watcher) take() (g gathered, open bool) {
	e := w.events
	e.mu.Lock()
	defer e.mu.Unlock()
	g = gathered{
		position: e.life + "-" + strconv.FormatInt(e.next, 10),
		attempts: w.attempts, tasks: w.tasks, logs: w.logs, schedules: w.schedules,
		reset: w.reset, behind: w.behind, told: w.told,
	}
	w.attempts, w.tasks, w.logs, w.schedules = nil, nil, nil, nil
	w.reset, w.behind = false, false
	return g, !e.closed
}
