package stream

import (
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are what the handler needs.
type Options struct {
	Events     *events.Feed
	MaxStreams int // zero means 1,000, which is also the largest number
}

// Routes are the paths of streams of events.
func Routes(o Options) []rest.Route {
	h := &streamer{o.Events, newStreams(o.MaxStreams)}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/events", Name: "getEvents", Verb: access.GetSession, Handle: h.serve, Long: true, ContentTypes: []string{"text/event-stream"},
			About: "A stream of server-sent events about changes of attempts and tasks.",
			Query: []rest.Parameter{
				rest.QueryText("topic", "site, schedules, project:ID, workflow:PROJECT/NAME, attempt:ID or log:ATTEMPT/TASK. It may be given several times."),
				rest.QueryText("after", "Position after which to go on, see the ids of events."),
			},
		},
	}
}
