package remotecmd

import (
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/live"
	"github.com/trowel-project/trowel/internal/terminal"
)

// followTree shows an attempt of a server as a tree, like a run in this process. It turns answers of the server into the
// changes of such a run. A list of all tasks replaces the tree, so missed events do no harm.
type followTree struct {
	call *cmd.Call
	live *live.View
	rows map[api.ID]*trowel.Task // of the last list, as far as they were shown
}

// Begin implements followView.
func (v *followTree) Begin(a *api.Attempt) {
	terminal.Say(v.call.Env.Stderr, "%s\n", attemptTitle(a))
	v.live.Begin(runview.Begin{
		Workflow: terminal.Clean(a.Workflow.Name), Session: a.SessionTime.Time, Tasks: []dig.Task{{FullName: "+" + terminal.Clean(a.Workflow.Name)}}, At: a.CreatedAt.Time, Whole: true,
	})
}

// Tasks implements followView.
func (v *followTree) Tasks(a *api.Attempt, tasks []api.Task) {
	tasks = lastRounds(tasks)
	v.rows = make(map[api.ID]*trowel.Task, len(tasks))
	var batches []*flush.Batch
	show := func(at time.Time, c engine.Change) {
		batches = append(batches, &flush.Batch{At: at, Changes: []engine.Change{c}})
	}
	began := beginnings(tasks)
	for i := range tasks {
		row := v.row(&tasks[i])
		v.rows[tasks[i].ID] = row
		show(a.CreatedAt.Time, engine.Change{Task: row, To: trowel.TaskBlocked, New: true})
	}
	for i := range tasks {
		t := &tasks[i]
		if at, begun := began[t.ID]; begun {
			show(at, v.move(t.ID, trowel.TaskRunning))
		}
		if state := taskState(t.State); !state.Done() {
			show(t.UpdatedAt.Time, v.move(t.ID, state))
		}
	}
	for i := range slices.Backward(tasks) { // children end before their parents
		if state := taskState(tasks[i].State); state.Done() {
			show(tasks[i].UpdatedAt.Time, v.move(tasks[i].ID, state))
		}
	}
	stopping := ""
	if a.CancelRequested {
		stopping = "being killed"
	}
	v.live.Retell(batches, stopping)
}

// move returns the change of a task to a state, and notes it in rows.
func (v *followTree) move(id api.ID, to trowel.TaskState) engine.Change {
	row := v.rows[id]
	c := engine.Change{Task: row, From: row.State, To: to}
	if to == trowel.TaskError {
		c.Transition = trowel.TransitionError
	}
	row.State = to
	return c
}

// Changed implements followView. Only the list says why a task failed, and which tasks a group got for its next round.
func (v *followTree) Changed(changes []api.TaskChange) (stale bool) {
	now := v.call.Env.Now()
	for i := range changes {
		change := &changes[i]
		row, state := v.rows[change.ID], taskState(change.State)
		if row == nil {
			stale = true
			continue
		}
		if row.State.Done() || row.State == state {
			continue
		}
		stale = stale || state.Failed() || row.State == trowel.TaskGroupRetryWaiting || state == trowel.TaskRetryWaiting
		at := now
		switch {
		case change.FinishedAt != nil:
			at = change.FinishedAt.Time
		case state == trowel.TaskRunning && change.Try <= 1 && change.StartedAt != nil:
			at = change.StartedAt.Time
		}
		row.Try = change.Try
		_ = v.live.Committed(&flush.Batch{At: at, Changes: []engine.Change{v.move(change.ID, state)}}) // never fails
	}
	return stale
}

// Note implements followView.
func (v *followTree) Note(text string) {
	v.live.Note(text)
}

// End implements followView.
func (v *followTree) End(a *api.Attempt, tasks []api.Task, facts taskFacts) {
	v.live.End(followedEnd(v.call, a, tasks, facts))
	if !a.Success {
		terminal.Say(v.call.Env.Stderr, "  log: %s\n", cmd.ServerCommand(v.call, "log", a.ID.String()))
	}
}

// Leave implements followView.
func (v *followTree) Leave() { v.live.Abandon(nil) }

// row returns the row of a task that has not begun. The tree relies on names that begin with that of the parent; those
// of a server that does not hold to that are made so.
func (v *followTree) row(t *api.Task) *trowel.Task {
	row := &trowel.Task{ID: trowel.TaskID(t.ID), FullName: terminal.Clean(t.FullName), Group: t.IsGroup, State: trowel.TaskBlocked, Error: t.Error, Export: loopExports(t)}
	if t.ParentID != nil {
		row.ParentID = trowel.TaskID(*t.ParentID)
		if parent := v.rows[*t.ParentID]; parent != nil && !strings.HasPrefix(row.FullName, parent.FullName) {
			row.FullName = parent.FullName + row.FullName
		}
	}
	if row.Error == nil {
		row.Error = param.New()
	}
	if t.RetryAt != nil {
		row.RetryAt = t.RetryAt.Time
	}
	return row
}

// taskState returns the state for a word of the API. An unknown word, of a later version, counts as running.
func taskState(word string) trowel.TaskState {
	for state := trowel.TaskBlocked; state <= trowel.TaskAwaitingInput; state++ {
		if state.String() == word {
			return state
		}
	}
	return trowel.TaskRunning
}

// lastRounds leaves out what a group with retries did in earlier rounds: of several tasks with one name and parent
// it keeps the last one, and what is below that.
func lastRounds(tasks []api.Task) []api.Task {
	type place struct {
		parent api.ID
		name   string
	}
	placeOf := func(t *api.Task) place {
		if t.ParentID == nil {
			return place{0, t.FullName}
		}
		return place{*t.ParentID, t.FullName}
	}
	last := make(map[place]api.ID, len(tasks))
	for i := range tasks {
		last[placeOf(&tasks[i])] = tasks[i].ID
	}
	there := make(map[api.ID]bool, len(tasks))
	kept := make([]api.Task, 0, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		if last[placeOf(t)] != t.ID || t.ParentID != nil && !there[*t.ParentID] {
			continue
		}
		there[t.ID] = true
		kept = append(kept, *t)
	}
	return kept
}

// beginnings returns when tasks began. A group begins with the first of its tasks.
func beginnings(tasks []api.Task) map[api.ID]time.Time {
	began := make(map[api.ID]time.Time, len(tasks))
	for i := range slices.Backward(tasks) { // children come after their parents
		t := &tasks[i]
		if t.StartedAt != nil {
			began[t.ID] = t.StartedAt.Time
		}
		at, begun := began[t.ID]
		if !begun || t.ParentID == nil {
			continue
		}
		if first, known := began[*t.ParentID]; !known || at.Before(first) {
			began[*t.ParentID] = at
		}
	}
	return began
}
