package health

import (
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are what the handlers need.
type Options struct{ Health *Monitor }

// Routes are the paths of the server's health.
func Routes(o Options) []rest.Route {
	h := &handlers{o.Health}
	return []rest.Route{
		{
			Method: "GET", Path: "/api/health", Name: "getHealth", Open: true, Answer: api.HealthReport{}, Handle: h.get,
			Errors: map[int]any{401: api.Error{}, 503: api.HealthReport{}},
			About: "Whether all parts of the server work: 503 while one does not. It needs no authentication; readers are told which: " +
				"`database`, `archives` and `task_logs`, the latter two where they are kept elsewhere.",
		},
		{
			Method: "GET", Path: "/api/health/live", Name: "getLive", Open: true, Answer: api.HealthLive{}, Handle: getLive,
			About: "200 while the server answers requests. It needs no authentication.",
		},
	}
}
