package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server"
)

// Output of one server is told in the streams of another one: the last piece of each task; of too many tasks
// that there is some.
func TestOutputTopic(t *testing.T) {
	t.Parallel()
	chunk := func(attempt trowel.AttemptID, file string, offset, bytes int64) trowel.LogChunk {
		return trowel.LogChunk{AttemptID: attempt, File: file, Offset: offset, TextBytes: bytes}
	}
	many := make([]trowel.LogChunk, 1000)
	for i := range many {
		many[i] = chunk(trowel.AttemptID(i), "+a@x.log.gz", 0, 5)
	}
	for _, tc := range []struct {
		name   string
		chunks []trowel.LogChunk
		want   []server.Event
	}{
		{
			"two tasks",
			[]trowel.LogChunk{chunk(4, "+a b@x.log.gz", 0, 5), chunk(5, "+a b@x.log.gz", 0, 7), chunk(4, "+a b@x.log.gz", 5, 6)},
			[]server.Event{{AttemptID: 4, Log: &server.LogRow{Task: "+a b", Offset: 5, Size: 11}}, {AttemptID: 5, Log: &server.LogRow{Task: "+a b", Size: 7}}},
		},
		{"many tasks", many, []server.Event{{Elsewhere: true, Log: &server.LogRow{}}}},
	} {
		message := outputTopic(tc.chunks)
		topic, rest, _ := strings.Cut(message, " ")
		if topic != topicOutput || len(message) > 7990 {
			t.Errorf("%s: message of %d bytes with the topic %q", tc.name, len(message), topic)
		}
		if diff := cmp.Diff(tc.want, readOutput(rest)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// A change of a schedule names it, so that streams of other servers can tell of it.
func TestSchedulesTopic(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(schedulesTopic(&trowel.Schedule{ID: 7, ProjectID: 3, Workflow: "a b"}), " ")
	want := []server.Event{{Schedule: 7, ProjectID: 3, Workflow: "a b"}}
	if diff := cmp.Diff(want, scheduleEvents(rest)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for _, rest := range []string{"", "x 3 w", "7 x w", "7 3"} {
		if got := scheduleEvents(rest); got != nil {
			t.Errorf("events of %q = %v, want none", rest, got)
		}
	}
	if got := schedulesTopic(nil); got != topicSchedules {
		t.Errorf("message about any schedule = %q", got)
	}
}
