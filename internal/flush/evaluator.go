package flush

import (
	"context"
	"errors"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// Evaluator evaluates templates; package template has it.
type Evaluator interface {
	Config(ctx context.Context, scope, local *param.Map, zone *time.Location) (*param.Map, error)
}

// evaluator evaluates options of tasks in goroutines of its own (control K109). It submits each result as a
// request.
type evaluator struct {
	inbox     *inbox
	templates Evaluator // nil fails tasks with templates in their options

	asked   map[trowel.TaskID]bool // tasks whose options are being evaluated; only the goroutine of Run uses it
	running sync.WaitGroup
}

// start evaluates those of a list that are not being evaluated already.
func (ev *evaluator) start(ctx context.Context, list []evaluation) {
	var fresh []evaluation
	for _, e := range list {
		if !ev.asked[e.Task] {
			ev.asked[e.Task] = true
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return
	}
	ev.running.Go(func() {
		for _, e := range fresh {
			values, err := ev.values(ctx, &e)
			if ctx.Err() != nil {
				return
			}
			answer := engine.Evaluated{Task: e.Task, Values: values, Err: err}
			ev.inbox.submit(&evaluatedRequest{attempt: e.attempt.id, answer: answer, evaluator: ev})
		}
	})
}

func (ev *evaluator) values(ctx context.Context, e *evaluation) (*param.Map, error) {
	if ev.templates == nil {
		return nil, errors.New("templates are not evaluated here")
	}
	config, err := ev.templates.Config(ctx, e.Scope, e.Values, e.Zone)
	if err != nil {
		return nil, err
	}
	values := param.New()
	for key := range e.Values.All() {
		if value, ok := config.Get(key); ok {
			values.Set(key, value)
		}
	}
	return values, nil
}
