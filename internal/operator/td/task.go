package td

import (
	"context"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/td/tdclient"
	"github.com/trowel-project/trowel/internal/param"
)

// family is what the operators of one table share.
type family struct {
	options    Options
	transports *transports
	progress   *progress
}

// task is one run of a task.
type task struct {
	*family
	r        *operator.Request
	params   *param.Reader // with those of the block td
	steps    *operator.Steps
	client   *tdclient.Client
	at       endpoint
	database string
	links    []trowel.Link
	// known has what was read about a job that has ended.
	known map[string]tdclient.Details
}

// begin returns a task without a client.
func (f *family) begin(ctx context.Context, r *operator.Request) (*task, error) {
	params, err := r.Section("td")
	if err != nil {
		return nil, operator.Unretried(err)
	}
	return &task{family: f, r: r, params: params, steps: operator.NewSteps(ctx, r), known: map[string]tdclient.Details{}}, nil
}

// connect makes the client, and reads the database if the operator needs one.
func (t *task) connect(ctx context.Context, needsDatabase bool) (err error) {
	if needsDatabase {
		if t.database, err = readDatabase(ctx, t.r, t.params); err != nil {
			return err
		}
	}
	t.client, t.at, err = t.family.connect(ctx, t.r, t.params)
	return err
}

// outcome returns what the operator returns.
func (t *task) outcome(outcome operator.Outcome, err error) (operator.Outcome, error) {
	outcome, err = t.steps.Outcome(outcome, withKind(err))
	outcome.Links = t.links
	return outcome, err
}

// sessionTime returns the session time of the task.
func (t *task) sessionTime() time.Time { return t.r.Lease.Context.Session.Time }

// say writes a line for people into the task's log.
func (t *task) say(ctx context.Context, line string) {
	t.r.Log.LogAttrs(ctx, slog.LevelInfo, line) //nolint:sloglint // people read it
}

// retryHow describes how requests of a step are repeated whose failure may pass.
func (t *task) retryHow(key string) operator.Retry {
	return operator.Retry{Key: key, Passing: passing, Min: t.options.MinRetry, Max: t.options.MaxRetry}
}

// details returns what is known about a job that has ended. It is read once in a run.
func (t *task) details(ctx context.Context, id string) (tdclient.Details, error) {
	if known, ok := t.known[id]; ok {
		return known, nil
	}
	details, err := t.client.Details(ctx, id)
	if err == nil {
		t.known[id] = details
	}
	return details, err
}
