package operator

import (
	"context"
	"strconv"

	"github.com/trowel-project/trowel/internal/param"
)

// runLoop runs _do a number of times, with the index as i (operators 2.4, language O4 to O6). A
// parameter named count, even an inherited one, replaces the number of the command (quirk, O5).
func runLoop(_ context.Context, r *Request) (Outcome, error) {
	it, err := NewIterations(r.Params)
	if err != nil {
		return Outcome{}, err
	}
	count, err := r.Params.Int("_command")
	if err != nil {
		return Outcome{}, err
	}
	if count, err = r.Params.IntOr("count", count); err != nil {
		return Outcome{}, err
	}
	if count > r.TaskLimit {
		return Outcome{}, param.Errorf("Too many loop subtasks. Limit: %d", r.TaskLimit) // language O4
	}
	for i := range count {
		if err := it.Add("+loop-"+strconv.Itoa(i), param.Of("i", i)); err != nil {
			return Outcome{}, err
		}
	}
	return it.Finish(r.Params)
}
