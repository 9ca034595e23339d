package server

import (
	"github.com/trowel-project/trowel/internal/api"
)

// HealthOptions are what the handlers work with.
type HealthOptions struct{ Health *Health }

// healthRoutes are the paths of the server's health.
func healthRoutes(o HealthOptions) []route {
	h := &checks{o.Health}
	return []route{
		{
			method: "GET", path: "/api/health", name: "getHealth", open: true, answer: api.HealthReport{}, handle: h.get,
			errors: map[int]any{401: api.Error{}, 503: api.HealthReport{}},
			about: "Whether all parts of the server work: 503 while one does not. It needs no authentication; readers are told which: " +
				"`database`, `archives` and `task_logs`, the latter two where they are kept elsewhere.",
		},
		{
			method: "GET", path: "/api/health/live", name: "getLive", open: true, answer: api.HealthLive{}, handle: getLive,
			about: "200 while the server answers requests. It needs no authentication.",
		},
	}
}
