package operator

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Outcome is how a run ended that did not fail: with a result, or with a request to run again (language
// X24).
type Outcome struct {
	Result trowel.Result // what the task leaves behind; empty if Again is set
	Origin trowel.Origin // where Result.Subtasks is written, if that is another file; empty otherwise
	Again  *Again        // nil if the task succeeded with Result
	// Links and Usage are kept with the try. They count together with an error, too. Links that cannot be shown
	// (trowel.Link.Check) are dropped with a warning in the task's log. It is enough to give a link once, with
	// the run that begins what it shows.
	Links []trowel.Link
	Usage trowel.Usage
}

// Again asks for another run of the task (language X26).
type Again struct { //nolint:errname // an error only on its way out of steps
	After time.Duration // time until the next run
	State *param.Map    // the state of the next run, which replaces the present one
	Cause error         // the failure that is retried; nil for plain polling
	// Job reports whether something that State names goes on outside, or may go on, such as a query, a
	// container, or a request whose answer is not known. If the task is killed, the CancelJob of the operator's
	// Definition ends it. A run whose context ends after it has begun such a thing returns it like any other.
	Job bool
}

// Error makes an Again the error of a step that goes on in another run, see Steps.
func (a *Again) Error() string { return "runs again after " + a.After.String() }

// Unwrap returns the failure that is retried.
func (a *Again) Unwrap() error { return a.Cause }

// Success returns the outcome of an operator that leaves nothing behind.
func Success() (Outcome, error) { return Outcome{}, nil }

// Generate returns the outcome of an operator whose work is done by further tasks.
func Generate(body *param.Map) (Outcome, error) {
	return Outcome{Result: trowel.Result{Subtasks: body}}, nil
}

// Poll returns the outcome of an operator that waits for something.
func Poll(after time.Duration, state *param.Map) (Outcome, error) {
	return Outcome{Again: &Again{After: after, State: state}}, nil
}
