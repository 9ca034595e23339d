package td

import (
	"context"
	"errors"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 8.7.
const (
	waitInterval = "poll interval must be at least %s and no greater than %s"
	waitEmptyRow = "Got empty row in result of query"
)

// keyLastJob is where the state of td_wait> and td_wait_table> has the id of the last job (operators 8.7).
const keyLastJob = "__last_job_id"

// waiter is what td_wait> and td_wait_table> have in common: a query that is repeated until its result is right.
type waiter struct {
	options  queryOptions
	interval time.Duration
}

func (w *waiter) read(t *task) (err error) {
	if err = w.options.read(t.params); err != nil {
		return err
	}
	limits := t.options.Wait
	w.interval = limits.Poll
	text, found, err := t.params.OptString("interval")
	if err != nil || !found {
		return err
	}
	if w.interval, err = param.ParseDuration(text); err != nil {
		value, _ := t.params.Value("interval")
		return param.WrongType("interval", param.OptionalType("io.digdag.util.DurationParam"), value)
	}
	if w.interval < limits.MinPoll || w.interval > limits.MaxPoll {
		return param.Errorf(waitInterval, durationText(limits.MinPoll), durationText(limits.MaxPoll))
	}
	return nil
}

// look runs the query once, in as many runs as that needs, and asks for another one after the interval while met returns false
// for its first row, which is nil if there is none.
func (w *waiter) look(ctx context.Context, t *task, begin beginJob, met func(id string, row param.List) (bool, error)) error {
	id, err := t.join(ctx, keyPollJob, func(ctx context.Context, domainKey string) (string, error) {
		id, err := begin(ctx, domainKey)
		if err == nil {
			t.steps.State().Set(keyLastJob, id)
		}
		return id, err
	})
	if err != nil {
		return err
	}
	var done bool
	err = t.steps.Retry(t.retryHow("result"), func(*operator.Steps) error {
		row, err := t.first(ctx, id)
		if err != nil {
			return err
		}
		done, err = met(id, row)
		return err
	})
	if err != nil || done {
		return err
	}
	t.steps.State().Delete(keyPollJob)
	return operator.Later(w.interval)
}

// wait is a td_wait> (operators 8.7).
type wait struct {
	waiter
	text string
}

func (w *wait) read(ctx context.Context, t *task) (err error) {
	if w.text, err = t.r.CommandText(ctx, t.params, "query"); err != nil {
		return err
	}
	return w.waiter.read(t)
}

func (w *wait) run(ctx context.Context, t *task) error {
	return w.look(ctx, t, w.begin(t), func(_ string, row param.List) (bool, error) { return isTrue(row) })
}

func (w *wait) begin(t *task) beginJob {
	return func(ctx context.Context, domainKey string) (string, error) {
		return w.options.begin(ctx, t, w.text, domainKey)
	}
}

// isTrue reports whether the first value of a row is true: texts and numbers are, but 0 is not.
func isTrue(row param.List) (bool, error) {
	if row == nil {
		return false, nil
	}
	if len(row) == 0 {
		return false, operator.Runtimef(waitEmptyRow)
	}
	switch value := row[0].(type) {
	case nil:
		return false, nil
	case bool:
		return value, nil
	case int64:
		return value != 0, nil
	default:
		return true, nil
	}
}

// looking is a td_wait> or td_wait_table>.
type looking interface {
	read(ctx context.Context, t *task) error
	run(ctx context.Context, t *task) error
	begin(t *task) beginJob
}

// lookingKind is an operator that looks.
type lookingKind struct {
	*family
	make func() looking
}

func (k lookingKind) run(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	t, l, err := k.prepare(ctx, r)
	if err != nil {
		return operator.Outcome{}, err
	}
	return t.outcome(operator.Outcome{}, l.run(ctx, t))
}

func (k lookingKind) prepare(ctx context.Context, r *operator.Request) (*task, looking, error) {
	t, err := k.begin(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	l := k.make()
	if err := l.read(ctx, t); err != nil {
		return nil, nil, operator.Unretried(err)
	}
	return t, l, t.connect(ctx, true)
}

// cancel ends the query of a killed task. Digdag leaves it.
func (k lookingKind) cancel(ctx context.Context, r *operator.Request) error {
	t, err := k.begin(ctx, r)
	if err != nil {
		return err
	}
	if err := t.connect(ctx, false); err != nil {
		return err
	}
	return t.kill(ctx, keyPollJob, func() (beginJob, error) {
		l := k.make()
		database, err := readDatabase(ctx, r, t.params)
		t.database = database
		return l.begin(t), errors.Join(err, l.read(ctx, t))
	})
}
