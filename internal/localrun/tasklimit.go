package localrun

import (
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/advice"
	"github.com/trowel-project/trowel/internal/textutil"
)

// TaskLimitError is that of an attempt with more tasks than the limit allows.
type TaskLimitError struct {
	err   *trowel.Error
	Where string // says which file and group have so many
}

func (e *TaskLimitError) Error() string { return e.err.Message }

// Unwrap returns the error that the engine made.
func (e *TaskLimitError) Unwrap() error { return e.err }

// limitFix turns the error of an attempt with too many tasks into one that says where they come from.
func (o *Options) limitFix(err error) error {
	known, ok := errors.AsType[*trowel.Error](err)
	if !ok || !errors.Is(err, trowel.ErrLimit) || !advice.IsTaskLimit(known.Message) {
		return err
	}
	where := fmt.Sprintf("%s has %s", o.Workflow.File, textutil.Plural(len(o.Tasks), "task"))
	if group, below := o.largestGroup(); below > len(o.Tasks)/2 {
		where += fmt.Sprintf(", %d of them below %s", below, group)
	}
	return &TaskLimitError{err: known, Where: where}
}

// largestGroup is the innermost group that has more than half of all tasks below it, and how many.
func (o *Options) largestGroup() (name string, below int) {
	counts := make([]int, len(o.Tasks))
	for i := len(o.Tasks) - 1; i > 0; i-- { // parents stand before their children
		if parent := o.Tasks[i].Parent; parent >= 0 {
			counts[parent] += counts[i] + 1
		}
	}
	for i := range o.Tasks {
		if i > 0 && counts[i] > len(o.Tasks)/2 {
			name, below = o.Tasks[i].FullName, counts[i]
		}
	}
	return name, below
}
