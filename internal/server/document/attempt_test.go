package document

import (
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// States that Digdag does not have are shown as the one that is nearest.
func TestStateOf(t *testing.T) {
	t.Parallel()
	for state, want := range map[trowel.TaskState]string{
		trowel.TaskBlocked: "blocked", trowel.TaskGroupError: "group_error", trowel.TaskCanceled: "canceled", trowel.TaskSkipped: "success",
		trowel.TaskDeferred: "retry_waiting", trowel.TaskAwaitingInput: "retry_waiting", 13: "running", 200: "running",
	} {
		if got := stateOf(state); got != want {
			t.Errorf("stateOf(%d) = %q, want %q", state, got, want)
		}
	}
}
