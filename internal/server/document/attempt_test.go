package document

import (
	"reflect"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Every field of the document of an attempt is filled.
func TestAttemptIsWhole(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	shape := Attempt(&trowel.AttemptSummary{
		Attempt: trowel.Attempt{
			ID: 1, SessionID: 2, ProjectID: 3, WorkflowID: 4, Index: 5, Name: "again", Zone: "UTC", Params: param.Of("k", "v"), CreatedAt: at, FinishedAt: at,
			Flags: trowel.AttemptDone | trowel.AttemptSuccess | trowel.AttemptCancelRequested,
		},
		Session: trowel.Session{ID: 2, ProjectID: 3, Workflow: "w", Time: at, UUID: "u"},
		Project: trowel.Project{ID: 3, Name: "p"},
	})
	for field, value := range reflect.ValueOf(shape).Fields() {
		if value.IsZero() {
			t.Errorf("Attempt leaves %s empty: fill it, and give the attempt of this test a value for it", field.Name)
		}
	}
}

// States that Digdag does not have are shown as the one that is nearest.
func TestStateOf(t *testing.T) {
	t.Parallel()
	for state, want := range map[trowel.TaskState]string{
		trowel.TaskBlocked: "blocked", trowel.TaskGroupError: "group_error", trowel.TaskCanceled: "canceled", trowel.TaskSkipped: "success",
		trowel.TaskDeferred: "retry_waiting", trowel.TaskAwaitingInput: "retry_waiting", 13: "running", 200: "running",
	} {
		if got := State(state); got != want {
			t.Errorf("State(%d) = %q, want %q", state, got, want)
		}
	}
}
