package action

import (
	"context"
	"net/http"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// Options are what the handlers need.
type Options struct {
	Launcher Launcher
}

// Launcher begins attempts. A launch.Launcher is one.
type Launcher interface {
	PlanRetry(ctx context.Context, r launch.Retry) (*launch.RetryPlan, error)
	BeginRetry(ctx context.Context, p *launch.RetryPlan) (*trowel.AttemptSummary, error)
}

// Routes are the paths of actions.
func Routes(o Options) []rest.Route {
	h := &retries{o.Launcher}
	return []rest.Route{
		{
			Method: "POST", Path: "/api/attempts/{id:64}/retry", Name: "retryAttempt", Verb: access.RunWorkflow, Body: rest.JSONBody(api.RetryRequest{}), Expects: true,
			Answer: api.Retry{}, Errors: map[int]any{http.StatusConflict: api.Attempt{}},
			Handle: h.retry, About: "Runs the workflow of an attempt again, as a new attempt of its session; with dryRun it only says what would run.",
		},
	}
}
