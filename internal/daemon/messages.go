package daemon

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/server"
)

// heard acts on a message of a server, which may be this one.
func (p *serverProcess) heard(text string) {
	message := cluster.Parse(text)
	p.events.Publish(streamEvents(message)...)
	switch m := message.(type) {
	case cluster.Gap:
		p.flusher.Resync()
		p.wakeScheduler()
		p.parts.Go(p.checkWriters) // nobody waits for the database here
	case cluster.Writers:
		p.parts.Go(p.checkWriters)
	case cluster.Schedules:
		p.wakeScheduler()
	case cluster.Limits:
		p.flusher.LimitsChanged()
	case cluster.Admit:
		p.flusher.Admit(trowel.WorkflowName(m))
		p.wakeScheduler()
	case cluster.Agents:
		p.parts.Go(p.agentsChanged) // in a goroutine, as this must not wait for the database
	case cluster.Attempts:
		p.flusher.OnNotify(m)
		if p.scheduler != nil {
			p.scheduler.AttemptsEnded()
		}
	}
}

func (p *serverProcess) wakeScheduler() {
	if p.scheduler != nil {
		p.scheduler.Wake()
	}
}

// streamEvents returns the events of a message for those who follow this server's event stream.
func streamEvents(message cluster.Message) []server.Event {
	var events []server.Event
	switch m := message.(type) {
	case cluster.Gap:
		events = append(events, server.Event{Missed: true})
	case cluster.Schedules:
		if m.ID != 0 {
			events = append(events, server.Event{Schedule: m.ID, ProjectID: m.ProjectID, Workflow: m.Workflow})
		}
	case cluster.Attempts:
		if m.Any {
			return []server.Event{{Elsewhere: true}}
		}
		for _, id := range m.Changed {
			events = append(events, server.Event{AttemptID: id, Elsewhere: true, Noted: slices.Contains(m.Noted, id)})
		}
	case cluster.Output:
		if len(m.Tasks) == 0 {
			return []server.Event{{Elsewhere: true, Log: &server.LogRow{}}} // everybody who follows any output looks for themselves
		}
		for _, o := range m.Tasks {
			events = append(events, outputEvent(o))
		}
	}
	return events
}
