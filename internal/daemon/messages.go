package daemon

import (
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/server/events"
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
func streamEvents(message cluster.Message) []events.Event {
	var list []events.Event
	switch m := message.(type) {
	case cluster.Gap:
		list = append(list, events.Event{Gap: true})
	case cluster.Schedules:
		if m.ID != 0 {
			list = append(list, events.Event{Schedule: m.ID, ProjectID: m.ProjectID, Workflow: m.Workflow})
		}
	case cluster.Attempts:
		if m.Any {
			return []events.Event{{Remote: true}}
		}
		for _, id := range m.Changed {
			list = append(list, events.Event{AttemptID: id, Remote: true, AttemptChanged: slices.Contains(m.Noted, id)})
		}
	case cluster.Output:
		if len(m.Tasks) == 0 {
			return []events.Event{{Remote: true, Log: &events.LogRow{}}} // everybody who follows any output looks for themselves
		}
		for _, o := range m.Tasks {
			list = append(list, outputEvent(o))
		}
	}
	return list
}
