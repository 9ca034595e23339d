package stream

import (
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/server/events"
)

// Very many tasks are sent as counts, and as the groups whose tasks must be read again.
func TestTasksFrame(t *testing.T) {
	t.Parallel()
	rows := map[trowel.TaskID]*events.TaskRow{}
	for id := trowel.TaskID(1); id <= frameRows; id++ {
		rows[id] = &events.TaskRow{ID: id, ParentID: 7, State: trowel.TaskReady}
	}
	if frame := tasksFrame(1, rows); len(frame.Rows) != frameRows || len(frame.Stale) != 0 || frame.Counts["ready"] != frameRows {
		t.Errorf("%d rows: %d told, stale %v, counts %v", frameRows, len(frame.Rows), frame.Stale, frame.Counts)
	}
	rows[0] = &events.TaskRow{ParentID: 9, State: trowel.TaskRunning}
	if frame := tasksFrame(1, rows); len(frame.Rows) != 0 || len(frame.Stale) != 2 || frame.Counts["running"] != 1 {
		t.Errorf("more rows: %d told, stale %v, counts %v", len(frame.Rows), frame.Stale, frame.Counts)
	}
}
