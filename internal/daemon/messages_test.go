package daemon

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/server/events"
)

// Messages of other servers become events of this one's stream. If a message names nothing, those who follow the stream look
// for themselves.
func TestStreamEvents(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]events.Event{
		"":                  {{Gap: true}},
		"schedules":         nil,
		"schedules 7 3 a b": {{Schedule: 7, ProjectID: 3, Workflow: "a b"}},
		"attempts":          {{Remote: true}},
		"attempts 1 +2 !2":  {{AttemptID: 1, Remote: true}, {AttemptID: 2, Remote: true, AttemptChanged: true}},
		"output":            {{Remote: true, Log: &events.LogRow{}}},
		`output [{"a":4,"t":"+a b","o":5,"s":11}]`: {{AttemptID: 4, Log: &events.LogRow{Task: "+a b", Offset: 5, Size: 11}}},
		"limits":  nil,
		"unknown": nil,
	} {
		if diff := cmp.Diff(want, streamEvents(cluster.Parse(message))); diff != "" {
			t.Errorf("events of %q (-want +got):\n%s", message, diff)
		}
	}
}
