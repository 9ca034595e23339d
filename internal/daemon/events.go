package daemon

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/server/events"
)

// outputEvents returns the events about pieces of output that can be read now.
func outputEvents(chunks []trowel.LogChunk) []events.Event {
	list := make([]events.Event, len(chunks))
	for i := range chunks {
		list[i] = outputEvent(cluster.PieceOf(&chunks[i]))
	}
	return list
}

func outputEvent(o cluster.TaskOutput) events.Event {
	return events.Event{AttemptID: o.AttemptID, Log: &events.LogRow{Task: o.Task, Offset: o.Offset, Size: o.Size}}
}

// eventFeed passes what was committed to the event stream. It is a flush.Listener.
type eventFeed struct{ events *events.Feed }

// Heard implements flush.Listener.
func (f eventFeed) Heard(batch *flush.Batch) {
	if !f.events.Watched() {
		return
	}
	list := make([]events.Event, 0, len(batch.Changes)+len(batch.Started)+len(batch.Ended)+len(batch.Killed))
	rows := make([]events.TaskRow, len(batch.Changes))
	for i := range batch.Changes {
		t := batch.Changes[i].Task
		rows[i] = rowOf(t, batch.At)
		event := eventOf(batch, t.AttemptID)
		event.Task, event.Version = &rows[i], t.Version
		list = append(list, event)
	}
	for _, changed := range [][]trowel.Attempt{batch.Started, batch.Killed, batch.Ended} {
		for i := range changed {
			event := eventOf(batch, changed[i].ID)
			event.Version = changed[i].Version
			list = append(list, event)
		}
	}
	f.events.Publish(list...)
}

func eventOf(batch *flush.Batch, id trowel.AttemptID) events.Event {
	event := events.Event{AttemptID: id}
	if s := batch.Context(id); s != nil {
		event.ProjectID, event.Workflow = s.Project.ID, s.Workflow.Name
	}
	return event
}

func rowOf(t *trowel.Task, at time.Time) events.TaskRow {
	row := events.TaskRow{
		ID: t.ID, ParentID: t.ParentID, State: t.State, Try: t.Try, StartedAt: t.StartedAt, Reason: string(t.WaitReason), Version: t.Version,
	}
	if t.State.Done() {
		row.FinishedAt = at
	}
	return row
}
