package reason

import (
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// phaseError is the phase of a task while its failure is handled (control K208).
const phaseError = "error"

// planned is the reason of a task that has done its own work and waits for its subtasks.
func planned(t *trowel.Task, f *Facts) Reason {
	f.Tree.Add(t.Outline())
	n := f.Tree.nodes[t.ID]
	counts, first := f.Tree.openChildren(n)
	r := Reason{Code: trowel.WaitChildren, Since: t.UpdatedAt, Next: first}
	var task param.Value
	name := ""
	if o := f.Tree.Find(first); o != nil {
		task, name = named(o), o.FullName
		r.Blockers = []Blocker{f.blocker(o)}
	}
	if failing(n) {
		r.Code = trowel.WaitHandlers
		r.Text = "has failed, and its error tasks run"
		if name != "" {
			r.Text = fmt.Sprintf("has failed, and what runs for that has not ended: %s", name)
		}
		r.Fields = param.Of("phase", phaseError, "task", task)
		return r
	}
	r.Text = "waits for the tasks in it: " + countText(counts)
	if t.Flags&trowel.TaskCancelRequested != 0 {
		r.Text = "is canceled when the tasks in it have stopped: " + countText(counts)
	}
	if name != "" {
		r.Text += "; the first is " + name
	}
	by := param.New()
	for _, state := range countOrder() {
		if counts[state] > 0 {
			by.Set(state.String(), int64(counts[state]))
		}
	}
	r.Fields = param.Of("counts", by, "task", task)
	return r
}

// countOrder is the order in which states are listed: in progress, waiting, ended.
func countOrder() []trowel.TaskState {
	return []trowel.TaskState{
		trowel.TaskRunning, trowel.TaskPlanned, trowel.TaskReady, trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting, trowel.TaskDeferred,
		trowel.TaskAwaitingInput, trowel.TaskBlocked, trowel.TaskError, trowel.TaskGroupError, trowel.TaskCanceled, trowel.TaskSkipped,
		trowel.TaskSuccess,
	}
}

func countText(counts map[trowel.TaskState]int) string {
	var parts []string
	for _, state := range countOrder() {
		if counts[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[state], word(state)))
		}
	}
	return strings.Join(parts, ", ")
}
