package server

import "github.com/trowel-project/trowel/internal/access"

// StreamOptions are what the handler works with.
type StreamOptions struct {
	Events     *Events
	MaxStreams int // zero, and more than 1,000, are 1,000
}

// streamRoutes are the paths of streams of events.
func streamRoutes(o StreamOptions) []route {
	h := &streamer{o.Events, newStreams(o.MaxStreams)}
	return []route{
		{
			method: "GET", path: "/api/events", name: "getEvents", verb: access.GetSession, handle: h.serve, long: true, contentType: "text/event-stream",
			about: "A stream of server-sent events about changes of attempts and tasks.",
			query: []parameter{
				QueryText("topic", "site, schedules, project:ID, workflow:PROJECT/NAME, attempt:ID or log:ATTEMPT/TASK."),
				QueryText("after", "Position after which to go on, see the ids of events."),
			},
		},
	}
}
