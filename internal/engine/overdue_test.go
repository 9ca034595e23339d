package engine_test

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// X62, X63: what counts toward the limits of time, and what is said when one has passed.
func TestOverdue(t *testing.T) {
	t.Parallel()
	begun := time.Unix(1705276800, 0)
	after := func(d time.Duration) time.Time {
		if d == 0 {
			return time.Time{}
		}
		return begun.Add(d)
	}
	running := func(id trowel.TaskID, started time.Duration, state trowel.TaskState, flags trowel.TaskFlags) *trowel.Task {
		return &trowel.Task{ID: id, ParentID: 1, FullName: "+w+t", State: state, Flags: flags, StartedAt: after(started)}
	}
	hour, day := time.Hour, 24*time.Hour
	for _, row := range []struct {
		name    string
		tasks   []*trowel.Task
		flags   trowel.AttemptFlags
		limits  engine.TTLs
		at      time.Duration
		message string
		next    time.Duration // zero for none
	}{
		{"no limits", nil, 0, engine.TTLs{}, 100 * day, "", 0},
		{"within the attempt's", nil, 0, engine.TTLs{Attempt: day}, hour, "", day},
		{"the attempt's has come", nil, 0, engine.TTLs{Attempt: day}, day, "Workflow execution timeout", 0},
		{"killed already", nil, trowel.AttemptCancelRequested, engine.TTLs{Attempt: day}, day, "", 0},
		{
			"the earlier one is next",
			[]*trowel.Task{running(2, 2*hour, trowel.TaskRunning, 0), running(3, hour, trowel.TaskRetryWaiting, 0)},
			0,
			engine.TTLs{Attempt: 7 * day, Task: day},
			3 * hour, "", day + hour,
		},
		{
			"tasks are told in the order of their ids",
			[]*trowel.Task{
				running(4, hour, trowel.TaskGroupRetryWaiting, 0), running(2, hour, trowel.TaskRunning, 0),
				running(3, hour, trowel.TaskRetryWaiting, 0), running(5, 2*hour, trowel.TaskRunning, 0),
			},
			0,
			engine.TTLs{Attempt: 7 * day, Task: day},
			day + hour, "Task execution timeout: 2,3,4", 0,
		},
		{
			"what waits for its turn, is planned, done or to stop does not count",
			[]*trowel.Task{
				running(2, hour, trowel.TaskReady, 0), running(3, hour, trowel.TaskPlanned, 0), running(4, hour, trowel.TaskSuccess, 0),
				running(5, hour, trowel.TaskRunning, trowel.TaskCancelRequested), running(6, 0, trowel.TaskGroupRetryWaiting, 0),
			},
			0,
			engine.TTLs{Task: day},
			3 * day, "", 0,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			attempt, setting := testSetting()
			attempt.CreatedAt, attempt.Flags = begun, row.flags
			tasks := append([]*trowel.Task{{ID: 1, FullName: "+w", Group: true, State: trowel.TaskPlanned}}, row.tasks...)
			img, err := engine.NewTaskTree(attempt, setting, tasks)
			if err != nil {
				t.Fatal(err)
			}
			message, next := img.Overdue(after(row.at), row.limits)
			if message != row.message || !next.Equal(after(row.next)) {
				t.Errorf("Overdue() = %q, %v, want %q, %v", message, next, row.message, after(row.next))
			}
		})
	}
}
