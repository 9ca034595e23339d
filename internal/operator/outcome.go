package operator

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Outcome is how a run ended that did not fail: with a result, or asking to be run again (language
// X24).
type Outcome struct {
	Result trowel.Result
	Origin trowel.Origin // where Result.Subtasks is written, if that is another file; else empty
	Again  *Again        // nil: the task succeeded with Result
}

// Again asks for another run of the task (language X26).
type Again struct {
	After time.Duration
	State *param.Map // the state of the next run, replaces what the task has
	Cause error      // the failure that is retried; nil for plain polling
}

// success is the outcome of an operator that leaves nothing behind.
func success() (Outcome, error) { return Outcome{}, nil }

// generate is the outcome of an operator whose work is done by further tasks.
func generate(body *param.Map) (Outcome, error) {
	return Outcome{Result: trowel.Result{Subtasks: body}}, nil
}

// poll is the outcome of an operator that waits for something.
func poll(after time.Duration, state *param.Map) (Outcome, error) {
	return Outcome{Again: &Again{After: after, State: state}}, nil
}
