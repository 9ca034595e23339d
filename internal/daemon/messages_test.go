package daemon

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/server"
)

// Messages of other servers become events of this one's stream. If a message names nothing, those who follow the stream look
// for themselves.
func TestStreamEvents(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]server.Event{
		"":                  {{Missed: true}},
		"schedules":         nil,
		"schedules 7 3 a b": {{Schedule: 7, ProjectID: 3, Workflow: "a b"}},
		"attempts":          {{Elsewhere: true}},
		"attempts 1 +2 !2":  {{AttemptID: 1, Elsewhere: true}, {AttemptID: 2, Elsewhere: true, Noted: true}},
		"output":            {{Elsewhere: true, Log: &server.LogRow{}}},
		`output [{"a":4,"t":"+a b","o":5,"s":11}]`: {{AttemptID: 4, Log: &server.LogRow{Task: "+a b", Offset: 5, Size: 11}}},
		"limits":  nil,
		"unknown": nil,
	} {
		if diff := cmp.Diff(want, streamEvents(cluster.Parse(message))); diff != "" {
			t.Errorf("events of %q (-want +got):\n%s", message, diff)
		}
	}
}
