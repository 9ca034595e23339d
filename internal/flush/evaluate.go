package flush

import (
	"context"
	"errors"
	"time"

	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// evaluatingFor is how long another server may take to evaluate options of a task before this one does
// it too.
const evaluatingFor = 5 * time.Second

// evaluation is what a transaction found to be evaluated.
type evaluation struct {
	attempt *attempt
	engine.Evaluation
}

func appendEvaluations(list []evaluation, a *attempt, more []engine.Evaluation) []evaluation {
	for _, e := range more {
		list = append(list, evaluation{a, e})
	}
	return list
}

// evaluateAll evaluates what a transaction found, and what images were found with.
func (f *Flusher) evaluateAll(ctx context.Context, w *write) {
	f.evaluate(ctx, append(f.toEvaluate, w.evaluations...))
	f.toEvaluate = nil
}

// evaluate lets options of tasks be evaluated beside the flusher (control K109); each answer is an event.
func (f *Flusher) evaluate(ctx context.Context, list []evaluation) {
	var fresh []evaluation
	for _, e := range list {
		if !f.asked[e.Task] {
			f.asked[e.Task] = true
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return
	}
	f.evaluated.Go(func() {
		for _, e := range fresh {
			values, err := f.values(ctx, &e)
			if ctx.Err() != nil {
				return
			}
			f.submit(&event{attempt: e.attempt.id, what: engine.Evaluated{Task: e.Task, Values: values, Err: err}})
		}
	})
}

func (f *Flusher) values(ctx context.Context, e *evaluation) (*param.Map, error) {
	if f.opts.Templates == nil {
		return nil, errors.New("templates are not evaluated here")
	}
	config, err := f.opts.Templates.Config(ctx, e.Scope, e.Values, e.Zone)
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
