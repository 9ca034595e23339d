package flush

import (
	"context"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// errBeforeCommitted rolls back a transaction that finds that the one before it was committed.
var errBeforeCommitted = errors.New("the transaction before was committed")

// starter begins attempts.
type starter struct {
	admission   *admission
	workflows   *workflows
	defaults    *param.Map
	maxAttempts int // how many may run at the same time (language C40)
}

// start begins an attempt (language A7).
func (s *starter) start(ctx context.Context, t *txn, r *startRequest) error {
	r.err = nil
	begin := engine.Begin{Tasks: r.start.Tasks, Resumed: r.start.Resumed}
	if tooLarge := engine.CheckSize(begin.Tasks, t.bounds); tooLarge != nil {
		r.err = tooLarge
		if !r.start.KeepTooLarge {
			return nil
		}
		begin.Refused, r.err = tooLarge, keptError{tooLarge}
	}
	name, control := nameOf(&r.start.Context), s.workflows.of(&r.start.Context.Workflow)
	wait, err := t.waitReason(ctx, name, control)
	if err != nil {
		return err
	}
	if wait == trowel.WaitAttemptsLimit && control.RejectAttempts {
		r.err = tooManyActive(name.Name, control.ActiveAttempts)
		return nil
	}
	begin.Wait = wait
	a, err := s.find(ctx, t, r)
	if err != nil || a == nil {
		return err
	}
	applied := a.tree.Apply(begin, t.at, t.ids, t.bounds)
	if len(applied.Changes) == 0 {
		r.err = &trowel.Error{Kind: trowel.ErrConflict, Message: fmt.Sprintf("attempt %d has begun already", a.id)}
		return nil
	}
	if wait == "" {
		t.admissions.add(name)
	} else {
		s.admission.waiting[name] = true
	}
	t.touch(a)
	t.changes.begin(&a.tree.Attempt, r.actor)
	if r.start.Record != nil {
		t.changes.record(r.start.Record, a)
	}
	t.add(a, &applied, r.actor)
	r.attempt = a.id
	r.started.Attempt, r.started.Session = a.tree.Attempt, a.tree.Context().Session
	t.effects.waiters = append(t.effects.waiters, waiter{a, r.started.Ended})
	return s.writeExtras(ctx, t, a, &r.start)
}

// find returns the attempt to begin. If it may not begin, that is nil, and the reason is in the request.
func (s *starter) find(ctx context.Context, t *txn, r *startRequest) (*attempt, error) {
	if r.start.Attempt.ID != 0 {
		return s.findStored(ctx, t, r)
	}
	return s.insert(ctx, t, r)
}

// insert stores a new attempt.
func (s *starter) insert(ctx context.Context, t *txn, r *startRequest) (*attempt, error) {
	running, err := t.count.running(ctx, t, s.maxAttempts)
	if err != nil {
		return nil, err
	}
	if running >= s.maxAttempts {
		r.err = engine.TooManyAttempts(s.maxAttempts, running)
		return nil, nil //nolint:nilnil // refused
	}
	setting, row := r.start.Context, r.start.Attempt
	setting.Defaults, setting.Limits = s.defaults, s.workflows.of(&setting.Workflow)
	setting.Workflow.Definition = nil // see loader
	row.CreatedAt, row.Version = t.at, 1
	err = t.tx.InsertAttempt(ctx, &setting.Session, &row)
	if errors.Is(err, trowel.ErrTaken) {
		return nil, nameTaken(ctx, t, r, err)
	}
	if err != nil {
		return nil, err
	}
	tree, err := engine.NewTaskTree(row, &setting, nil)
	if err != nil {
		return nil, err
	}
	a := t.cache.entry(row.ID)
	t.cache.put(a, tree)
	t.begin(a)
	return a, nil
}

// nameTaken is called if the name of an attempt is taken. That is the caller's error, unless an earlier
// transaction of the same request has taken it: one whose outcome was unknown, and that has become visible only
// now.
func nameTaken(ctx context.Context, t *txn, r *startRequest, conflict error) error {
	if t.before != nil {
		committed, err := t.before.wasCommitted(ctx, t.tx)
		if err != nil {
			return err
		}
		if committed {
			return errBeforeCommitted
		}
	}
	r.err = conflict
	return nil
}

// findStored returns an attempt that is stored without tasks, as it had to wait for its turn.
func (s *starter) findStored(ctx context.Context, t *txn, r *startRequest) (*attempt, error) {
	id := r.start.Attempt.ID
	a := t.cache.get(id)
	if !a.running() {
		r.err = trowel.ErrNotFound
		if t.hasEnded(id) {
			r.err = &trowel.Error{Kind: trowel.ErrConflict, Message: fmt.Sprintf("attempt %d has ended", id)}
		}
		return nil, nil //nolint:nilnil // refused
	}
	return a, t.tx.DeleteQueuedBackfillAttempt(ctx, a.id)
}

// writeExtras stores what an attempt has besides its tasks: tasks of an earlier attempt that it resumes, and its
// SLA.
func (s *starter) writeExtras(ctx context.Context, t *txn, a *attempt, start *Start) error {
	if later := engine.StillNeeded(start.Resumed); len(later) > 0 {
		a.resumed = true
		if err := t.tx.InsertResumed(ctx, a.id, later); err != nil {
			return err
		}
	}
	if start.SLATimer == nil {
		return nil
	}
	monitor := *start.SLATimer
	monitor.AttemptID = a.id
	a.monitored = true
	t.effects.monitors = append(t.effects.monitors, monitor)
	return t.tx.InsertSLATimer(ctx, &monitor)
}

// tooManyActive says that an attempt is refused for the limit of its workflow.
func tooManyActive(name string, limit int) error {
	return &trowel.Error{
		Kind:    trowel.ErrLimit,
		Message: fmt.Sprintf("Too many active attempts of workflow %s. Limit: %d", name, limit),
		Hint:    "wait until one has ended, or raise max_active_attempts in the workflow",
	}
}
