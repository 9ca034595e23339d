package cli

import (
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/textutil"
)

// taskLimitError is that of an attempt with more tasks than the limit allows.
type taskLimitError struct {
	err   *trowel.Error
	where string // says which file and group have so many
}

func (e *taskLimitError) Error() string { return e.err.Message }

// Unwrap returns the error that the engine made.
func (e *taskLimitError) Unwrap() error { return e.err }

// limitFix tells of an attempt with too many tasks where they come from, and which option lets it run.
func (l *localRun) limitFix(err error) error {
	known, ok := errors.AsType[*trowel.Error](err)
	if !ok || !errors.Is(err, trowel.ErrLimit) || !advice.IsTaskLimit(known.Message) {
		return err
	}
	where := fmt.Sprintf("%s has %s", l.workflow.File, textutil.Plural(len(l.tasks), "task"))
	if group, below := l.largestGroup(); below > len(l.tasks)/2 {
		where += fmt.Sprintf(", %d of them below %s", below, group)
	}
	return &taskLimitError{err: known, where: where}
}

// largestGroup is the innermost group that has more than half of all tasks below it, and how many.
func (l *localRun) largestGroup() (name string, below int) {
	counts := make([]int, len(l.tasks))
	for i := len(l.tasks) - 1; i > 0; i-- { // parents stand before their children
		if parent := l.tasks[i].Parent; parent >= 0 {
			counts[parent] += counts[i] + 1
		}
	}
	for i := range l.tasks {
		if i > 0 && counts[i] > len(l.tasks)/2 {
			name, below = l.tasks[i].FullName, counts[i]
		}
	}
	return name, below
}
