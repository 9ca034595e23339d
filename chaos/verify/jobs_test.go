package verify

import (
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// A killed task with a job is canceled after a try that was to cancel it, and not without one.
func TestJobs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, lines, want string
		flags             trowel.TaskFlags
		state             trowel.TaskState
	}{
		{name: "canceled", lines: "1 2 1 retry_waiting ready cancel_job me; 1 2 2 ready running claim x; 1 2 2 running canceled cancel x"},
		{name: "given up", lines: "1 2 1 ready ready cancel_job me; 1 2 2 ready running claim x; 1 2 2 running canceled cancel x", flags: trowel.TaskHasJob},
		{
			name: "again", lines: "1 2 1 ready ready cancel_job me; 1 2 2 ready running claim x; 1 2 2 running ready cancel_job engine; 1 2 2 ready canceled cancel me",
			want: "attempt 1: +w+a has a job to be canceled, and goes from ready to canceled without a try",
		},
		{name: "left", state: trowel.TaskError, flags: trowel.TaskHasJob, want: "attempt 1: +w+a is error, and has a job"},
	} {
		state := row.state
		if state == 0 {
			state = trowel.TaskCanceled
		}
		h := &History{Attempts: map[trowel.AttemptID]*Attempt{
			1: {ID: 1, Tasks: []*trowel.Task{{ID: 2, FullName: "+w+a", State: state, Flags: row.flags}}},
		}}
		for line := range strings.SplitSeq(row.lines, "; ") {
			if line != "" {
				h.Commits = append(h.Commits, Commit{Entries: []trowel.AuditEntry{entry(t, line)}})
			}
		}
		f := &findings{}
		f.jobs(h)
		if got := strings.Join(f.list, "; "); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
