package daemon

import (
	"slices"

	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/server/events"
)

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
