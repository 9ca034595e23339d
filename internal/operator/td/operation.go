package td

import (
	"context"
	"errors"
	"log/slog"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// operation is what an operator does that begins a job of the service. Each run of a task makes a new one.
type operation interface {
	// read reads the options. Its errors are not repeated by _retry (operators 8.2).
	read(ctx context.Context, t *task) error
	// prepare does what must be done before the job begins. It may be done more than once.
	prepare(ctx context.Context, t *task) error
	// begin asks the service to begin the job. It is called with the same domain key until the answer is known.
	begin(ctx context.Context, t *task, domainKey string) (id string, err error)
	// finish does what follows when the job has succeeded. It may go on in further runs.
	finish(ctx context.Context, t *task, id string) (operator.Outcome, error)
}

// plain is the part of operations that do nothing before and after their jobs.
type plain struct{}

func (plain) prepare(context.Context, *task) error { return nil }

func (plain) finish(context.Context, *task, string) (operator.Outcome, error) {
	return operator.Success()
}

// kind is an operator that begins a job.
type kind struct {
	*family
	make func() operation
	// withoutDatabase is set if the operator needs none.
	withoutDatabase bool
	// keyless is set if the service is not told the domain key: a request whose answer is not known may begin a second job.
	keyless bool
	// destructive is set if the job deletes data: it is not begun only to be ended.
	destructive bool
}

// run runs a task: it begins its job, waits for it, and does what follows.
func (k kind) run(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
	t, op, err := k.read(ctx, r)
	if err != nil {
		return operator.Outcome{}, err
	}
	if err := t.connect(ctx, !k.withoutDatabase); err != nil {
		return operator.Outcome{}, err
	}
	return t.outcome(t.work(ctx, op))
}

func (k kind) read(ctx context.Context, r *operator.Request) (*task, operation, error) {
	t, err := k.begin(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	migrate(t.steps)
	op := k.make()
	return t, op, operator.Unretried(op.read(ctx, t))
}

func (t *task) work(ctx context.Context, op operation) (operator.Outcome, error) {
	id, err := t.steps.Read().StringOr(keyDoneJob, "")
	if err != nil {
		return operator.Outcome{}, err
	}
	if id == "" {
		id, err = t.join(ctx, keyJob, func(ctx context.Context, domainKey string) (string, error) {
			if err := op.prepare(ctx, t); err != nil {
				return "", err
			}
			return op.begin(ctx, t, domainKey)
		})
		if err != nil {
			return operator.Outcome{}, err
		}
		t.steps.State().Set(keyDoneJob, id)
	}
	outcome, err := op.finish(ctx, t, id)
	if err != nil {
		return outcome, err
	}
	outcome.Result.Store = param.Merged(outcome.Result.Store, t.lastJob(ctx, id))
	return outcome, nil
}

// lastJob returns the parameters about the job for the tasks that follow.
func (t *task) lastJob(ctx context.Context, id string) *param.Map {
	details, err := t.details(ctx, id)
	if err != nil {
		t.r.Log.Warn("the number of records of the job cannot be read", slog.Any("error", err))
	}
	return param.Of("td", param.Of("last_job_id", id, "last_job", param.Of("id", id, "num_records", details.Records)))
}

// cancel ends the jobs of a killed task.
func (k kind) cancel(ctx context.Context, r *operator.Request) error {
	t, err := k.begin(ctx, r)
	if err != nil {
		return err
	}
	migrate(t.steps)
	if err := t.connect(ctx, false); err != nil {
		return err
	}
	if err := t.kill(ctx, keyPreviewJob, func() (beginJob, error) { return neverBegun, nil }); err != nil {
		return err
	}
	if t.steps.State().Has(keyDoneJob) {
		return nil
	}
	return t.kill(ctx, keyJob, func() (beginJob, error) { return k.again(ctx, t) })
}

// again returns how the request of a job is sent once more, to learn which job the service has begun.
func (k kind) again(ctx context.Context, t *task) (beginJob, error) {
	if k.keyless {
		t.r.Log.Warn("a job may go on: the answer to the request that begins it is not known, and the service has no way to ask for it")
		return neverBegun, nil
	}
	op := k.make()
	if err := op.read(ctx, t); err != nil {
		return nil, err
	}
	if q, ok := op.(*query); k.destructive || ok && q.createTable != nil {
		t.r.Log.Warn("a job may go on: the answer to the request that begins it is not known, and asking again could begin to delete data")
		return neverBegun, nil
	}
	if !k.withoutDatabase {
		var err error
		if t.database, err = readDatabase(ctx, t.r, t.params); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, domainKey string) (string, error) { return op.begin(ctx, t, domainKey) }, nil
}

// errNeverBegun says that a request is not sent again.
var errNeverBegun = errors.New("the request is not sent again")

func neverBegun(context.Context, string) (string, error) { return "", errNeverBegun }
