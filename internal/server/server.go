package server

import (
	"slices"

	"github.com/trowel-project/trowel/internal/server/action"
	"github.com/trowel-project/trowel/internal/server/agentapi"
	"github.com/trowel-project/trowel/internal/server/explain"
	"github.com/trowel-project/trowel/internal/server/health"
	"github.com/trowel-project/trowel/internal/server/ops"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/server/output"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/server/revision"
	"github.com/trowel-project/trowel/internal/server/signin"
	"github.com/trowel-project/trowel/internal/server/stream"
	v1 "github.com/trowel-project/trowel/internal/server/v1"
	"github.com/trowel-project/trowel/internal/server/view"
)

// Options are what a server works with, by the groups of its paths. All but those that say so are required.
type Options struct {
	REST     rest.Options
	V1       v1.Options
	Revision revision.Options
	Action   action.Options
	Health   health.Options
	Stream   stream.Options
	Ops      ops.Options
	Explain  explain.Options
	Output   output.Options
	Agents   agentapi.Options
	SignIn   signin.Options
}

// New returns a server.
func New(o Options) *rest.Server { return rest.New(o.REST, Routes(&o)) }

// outlineBytes is the memory for the trees of attempts that people look at: two of 100,000 tasks, or thousands of usual
// ones.
const outlineBytes = 96 << 20

// Routes are the paths of all groups.
func Routes(o *Options) []rest.Route {
	outlines := outline.NewCache(outlineBytes)
	views := view.Options{Outlines: outlines, Health: o.Health.Health.Check, CountAgents: health.CountAgents, Waiting: explain.Waiting(o.Explain)}
	return slices.Concat(
		v1.Routes(&o.V1), signin.Routes(o.SignIn), health.Routes(o.Health), stream.Routes(o.Stream), view.Routes(views), revision.Routes(o.Revision), action.Routes(o.Action),
		explain.Routes(o.Explain, outlines), output.Routes(o.Output, outlines), ops.Routes(o.Ops), agentapi.Routes(o.Agents),
	)
}
