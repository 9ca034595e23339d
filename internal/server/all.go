package server

import "slices"

// Options are what a server works with, by the groups of its paths. All but those that say so are required.
type Options struct {
	REST    RESTOptions
	V1      V1Options
	Health  HealthOptions
	Stream  StreamOptions
	Ops     OpsOptions
	Explain ExplainOptions
	Agents  AgentOptions
}

// New returns a server.
func New(o Options) *Server { return newFrame(o.REST, Routes(&o)) }

// Routes are the paths of all groups.
func Routes(o *Options) []route {
	return slices.Concat(
		v1Routes(&o.V1), healthRoutes(o.Health), streamRoutes(o.Stream), viewRoutes(), explainRoutes(o.Explain), opsRoutes(o.Ops), linkRoutes(o.Agents),
	)
}
