package flush

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// Start is a request to begin an attempt. If its Attempt has an id, it is stored already, without
// tasks, as it had to wait for its turn in a backfill (language S40).
type Start = engine.NewAttempt

// Started is an attempt that has begun.
type Started struct {
	Attempt trowel.Attempt
	Session trowel.Session
	// Ended gets the attempt once it is done. It is closed without a value if the flusher ends first.
	Ended chan trowel.Attempt
}

// Start begins an attempt and returns once that is written. Too many tasks or attempts are an
// ErrLimit with Digdag's text; a taken name, or a stored attempt that has begun already, is an
// ErrConflict. If ctx ends before, that is an ErrUnavailable: the attempt will not begin, or, if a
// transaction was under way, it is not known, which the message says; an attempt that begins then is
// told in the log. An attempt that is kept although it is too large comes with the ErrLimit.
func (f *Flusher) Start(ctx context.Context, s Start) (*Started, error) {
	started := &Started{Ended: make(chan trowel.Attempt, 1)}
	ev := &event{attempt: s.Attempt.ID, start: &s, started: started, actor: s.Attempt.Actor, record: s.Record, done: make(chan error, 1)}
	f.submit(ev)
	err := f.wait(ctx, ev)
	if kept, ok := errors.AsType[keptError](err); ok {
		return started, kept.error
	}
	if err != nil {
		return nil, err
	}
	return started, nil
}

// Begin is Start for those who do not wait for the end.
func (f *Flusher) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	started, err := f.Start(ctx, a)
	if started == nil {
		return nil, err
	}
	return &trowel.AttemptSummary{Attempt: started.Attempt, Session: started.Session, Project: a.Setting.Project}, err
}

// keptError is the ErrLimit of an attempt that was kept all the same.
type keptError struct{ error }

// start begins an attempt (language A7). What is wrong with the request is the event's error; an error
// of the store is returned.
func (f *Flusher) start(ctx context.Context, tx trowel.Tx, w *write, ev *event) error {
	begin := engine.Begin{Tasks: ev.start.Tasks, Resumed: ev.start.Resumed}
	if tooLarge := engine.CheckSize(begin.Tasks, f.opts.Limits); tooLarge != nil {
		ev.err = tooLarge
		if !ev.start.KeepTooLarge {
			return nil
		}
		begin.Refused, ev.err = tooLarge, keptError{tooLarge}
	}
	name, control := nameOf(&ev.start.Setting), f.controlOf(&ev.start.Setting.Workflow)
	wait, err := f.waitReason(ctx, tx, w, name, control)
	if err != nil {
		return err
	}
	if wait == trowel.WaitAttemptsLimit && control.RejectAttempts {
		ev.err = tooManyActive(name.Name, control.ActiveAttempts)
		return nil
	}
	begin.Wait = wait
	var a *attempt
	if ev.start.Attempt.ID != 0 {
		a, err = f.resumeStored(ctx, tx, w, ev)
	} else {
		a, err = f.insertNew(ctx, tx, w, ev)
	}
	if err != nil || a == nil {
		return err
	}
	applied := a.Apply(begin, w.at, &f.ids, f.opts.Limits)
	if len(applied.Changes) == 0 {
		ev.err = &trowel.Error{Kind: trowel.ErrConflict, Message: fmt.Sprintf("attempt %d has begun already", a.id)}
		return nil
	}
	if wait == "" {
		w.admit(name)
	} else {
		f.waiting[name] = true
	}
	w.begin(a.Image, ev.actorOf())
	w.record(ev, a)
	w.add(a.Image, applied, ev.actorOf())
	w.evaluations = appendEvaluations(w.evaluations, a, applied.Evaluations)
	ev.started.Attempt, ev.started.Session = a.Attempt, a.Setting().Session
	w.awaited = append(w.awaited, awaited{a, ev.started.Ended})
	return f.storeExtras(ctx, tx, w, a, ev.start)
}

// insertNew stores a new attempt. It returns nil if it is refused, with the reason in the event.
func (f *Flusher) insertNew(ctx context.Context, tx trowel.Tx, w *write, ev *event) (*attempt, error) {
	running, err := f.count.running(ctx, tx, w, f.opts.Attempts)
	if err != nil {
		return nil, err
	}
	if running >= f.opts.Attempts {
		ev.err = engine.TooManyAttempts(f.opts.Attempts, running)
		return nil, nil //nolint:nilnil // refused
	}
	setting, row := ev.start.Setting, ev.start.Attempt
	setting.Defaults, setting.Control = f.opts.Defaults, f.controlOf(&setting.Workflow)
	row.CreatedAt, row.Version = w.at, 1
	err = tx.InsertAttempt(ctx, &setting.Session, &row)
	if errors.Is(err, trowel.ErrTaken) {
		return nil, f.taken(ctx, tx, w, ev, err)
	}
	if err != nil {
		return nil, err
	}
	img, err := engine.NewImage(row, &setting, nil)
	if err != nil {
		return nil, err
	}
	a := f.images.know(row.ID)
	f.images.put(a, img)
	w.member(a)
	w.raised[a.Image] = true
	w.begun = append(w.begun, a)
	a.own = trusted
	f.count.n++
	return a, nil
}

// resumeStored finds an attempt that waited for its turn.
func (f *Flusher) resumeStored(ctx context.Context, tx trowel.Tx, w *write, ev *event) (*attempt, error) {
	a := f.images.byID[ev.attempt]
	if !a.running() {
		ev.err = trowel.ErrNotFound
		if w.done[ev.attempt] {
			ev.err = &trowel.Error{Kind: trowel.ErrConflict, Message: fmt.Sprintf("attempt %d has ended", ev.attempt)}
		}
		return nil, nil //nolint:nilnil // refused
	}
	return a, tx.DeleteDelayed(ctx, a.id)
}

// storeExtras stores what an attempt has besides its tasks: the tasks of an earlier one that count
// later on, and its SLA.
func (f *Flusher) storeExtras(ctx context.Context, tx trowel.Tx, w *write, a *attempt, s *Start) error {
	if later := engine.Lasting(s.Resumed); len(later) > 0 {
		a.resumed = true
		if err := tx.InsertResumed(ctx, a.id, later); err != nil {
			return err
		}
	}
	if s.Monitor == nil {
		return nil
	}
	monitor := *s.Monitor
	monitor.AttemptID = a.id
	a.monitored = true
	w.monitors = append(w.monitors, monitor)
	return tx.InsertMonitor(ctx, &monitor)
}

// taken is told a start whose name is taken: the caller's error, not one of the transaction, unless
// it was taken by the start itself, in an earlier transaction whose answer was lost. That one may
// have become visible only while the name was looked for.
func (f *Flusher) taken(ctx context.Context, tx trowel.Tx, w *write, ev *event, conflict error) error {
	if w.before != nil {
		happened, err := w.before.happened(ctx, tx)
		if err != nil {
			return err
		}
		if happened {
			return errHappened
		}
	}
	ev.err = conflict
	return nil
}

// startsLast returns the events with those that insert attempts at the end, in the order of their
// sessions. Servers that start the same sessions at the same time, as schedules do, wait for one
// another in this order, and never in a circle.
func startsLast(batch []*event) []*event {
	sorted := slices.Clone(batch)
	slices.SortStableFunc(sorted, func(a, b *event) int {
		switch {
		case a.start == nil && b.start == nil:
			return 0
		case a.start == nil:
			return -1
		case b.start == nil:
			return 1
		}
		s, o := &a.start.Setting.Session, &b.start.Setting.Session
		return cmp.Or(cmp.Compare(s.ProjectID, o.ProjectID), cmp.Compare(s.Workflow, o.Workflow), s.Time.Compare(o.Time))
	})
	return sorted
}
