package cli

import (
	"context"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/server"
)

func (p *serverProcess) openEvents(context.Context) error {
	p.events = server.NewEvents()
	return nil
}

// outputEvents tells of output that can be read now.
func outputEvents(chunks []trowel.LogChunk) []server.Event {
	events := make([]server.Event, len(chunks))
	for i := range chunks {
		c := &chunks[i]
		task, _, _ := strings.Cut(c.File, "@")
		events[i] = server.Event{AttemptID: c.AttemptID, Log: &server.LogRow{Task: task, Offset: c.Offset, Size: c.Offset + c.TextBytes}}
	}
	return events
}

// eventFeed tells the event stream what was committed. It is a flush.Listener.
type eventFeed struct{ events *server.Events }

// Heard implements flush.Listener.
func (f eventFeed) Heard(batch *flush.Batch) {
	events := make([]server.Event, 0, len(batch.Changes)+len(batch.Started)+len(batch.Ended)+len(batch.Killed))
	for _, c := range batch.Changes {
		event := eventOf(batch, c.Task.AttemptID)
		event.Task = rowOf(c.Task, batch.At)
		events = append(events, event)
	}
	for _, changed := range [][]trowel.Attempt{batch.Started, batch.Killed, batch.Ended} {
		for i := range changed {
			events = append(events, eventOf(batch, changed[i].ID))
		}
	}
	f.events.Publish(events...)
}

func eventOf(batch *flush.Batch, id trowel.AttemptID) server.Event {
	event := server.Event{AttemptID: id}
	if s := batch.Setting(id); s != nil {
		event.ProjectID, event.Workflow = s.Project.ID, s.Workflow.Name
	}
	return event
}

func rowOf(t *trowel.Task, at time.Time) *server.TaskRow {
	row := &server.TaskRow{
		ID: t.ID, ParentID: t.ParentID, State: t.State, Try: t.Try, StartedAt: server.Milli(t.StartedAt), Reason: t.WaitReason,
	}
	if t.State.Done() {
		row.FinishedAt = server.Milli(at)
	}
	return row
}
