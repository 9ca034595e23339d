package localrun

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/loopname"
	"github.com/trowel-project/trowel/internal/runview"
)

func newFailures() *failures {
	return &failures{lines: map[trowel.TaskID][]string{}, tries: map[trowel.TaskID]int{}, loops: map[trowel.TaskID]string{}}
}

// failures gathers the tasks that failed in their own operator. It implements flush.Observer.
type failures struct {
	tasks []failure
	lines map[trowel.TaskID][]string // last lines of the tries that failed
	tries map[trowel.TaskID]int      // that failed
	loops map[trowel.TaskID]string   // values of the loops that a task is in

	mu     sync.Mutex                   // guards what is below
	advice map[trowel.TaskID]taskAdvice // of tries that failed
}

type failure struct {
	id   trowel.TaskID
	task runview.FailedTask
}

// Committed implements flush.Observer.
func (f *failures) Committed(batch *flush.Batch) error {
	for i := range batch.Tries {
		t := &batch.Tries[i]
		if t.Exit == trowel.ExitRetry || t.Exit == trowel.ExitError {
			f.tries[t.TaskID]++
		}
		if len(t.LastLines) > 0 {
			f.lines[t.TaskID] = t.LastLines
		}
	}
	for i := range batch.Changes {
		c := &batch.Changes[i]
		if c.New {
			f.note(c.Task)
		}
		if c.To == trowel.TaskError {
			mend := f.adviceFor(c.Task.ID)
			f.tasks = append(f.tasks, failure{c.Task.ID, runview.FailedTask{
				Name: c.Task.FullName, Message: runview.FailureText(c.Task.Error), Where: c.Task.Origin.Place, LastLines: f.lines[c.Task.ID],
				Values: f.loops[c.Task.ID], Tries: f.tries[c.Task.ID],
				Fix:     cmp.Or(advice.InRun(runview.FailureText(c.Task.Error)), mend.text),
				Culprit: mend.culprit,
			}})
		}
	}
	return nil
}

// taskAdvice is what to do about the failure of a task, and the key in its body that is the culprit, if known.
type taskAdvice struct{ text, culprit string }

// adviceInRun keeps, for the summary of a run, what to do after a failure. The log has nothing of it.
func (f *failures) adviceInRun(lease *trowel.Lease, err error) string {
	if advice, culprit := advice.OfMistake(lease, err); advice != "" || culprit != "" {
		f.advise(lease.TaskID, taskAdvice{advice, culprit})
	}
	return ""
}

// advise keeps what to do about the failure of a task. It may be called concurrently, before the failure is
// committed.
func (f *failures) advise(task trowel.TaskID, advice taskAdvice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.advice == nil {
		f.advice = map[trowel.TaskID]taskAdvice{}
	}
	f.advice[task] = advice
}

func (f *failures) adviceFor(task trowel.TaskID) taskAdvice {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.advice[task]
}

// note remembers the values of loops: those of the task above and, of an iteration, its own.
func (f *failures) note(task *trowel.Task) {
	values := f.loops[task.ParentID]
	if at := strings.LastIndex(task.FullName, "^sub+for-"); at >= 0 {
		own := loopname.PartOf(task.FullName[at+len("^sub"):], task.Export)
		if len(own.Values) > 0 && !strings.Contains(task.FullName[at+len("^sub+"):], "+") {
			values = strings.TrimSpace(values + " " + loopname.Join([]loopname.Part{own}, true, 0, ""))
		}
	}
	if values != "" {
		f.loops[task.ID] = values
	}
}

// list returns the tasks in the order of their ids.
func (f *failures) list() []runview.FailedTask {
	slices.SortFunc(f.tasks, func(a, b failure) int { return cmp.Compare(a.id, b.id) })
	tasks := make([]runview.FailedTask, len(f.tasks))
	for i, t := range f.tasks {
		tasks[i] = t.task
	}
	return tasks
}
