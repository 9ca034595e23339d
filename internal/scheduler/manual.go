package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/schedule"
)

// Texts of server 2.5.
const (
	skipNeeds   = "nextTime or (fromTime and count) are required"
	alreadyPast = "Specified time to skip schedules is already past"
)

// maxSteps is how many sessions may be skipped by count.
const maxSteps = 1_000_000

// Moment is a time as somebody gave it: an instant, or, if Local, the time of a clock in the workflow's zone.
type Moment struct {
	Time  time.Time
	Local bool
}

func (m Moment) in(zone schedule.Zone) time.Time {
	if m.Local {
		return zone.FirstOccurrence(m.Time)
	}
	return m.Time
}

// SkipRequest asks to move a schedule ahead (language S36). NextTime takes precedence over From and Count.
type SkipRequest struct {
	NextTime *Moment   // to the first session whose run time is not before
	From     time.Time // to the first session from then on,
	Count    *int      // and then this many sessions further
	RunAt    time.Time // the new run time of the session; zero to keep its own
	DryRun   bool      // change nothing
	Now      time.Time
	Actor    string
	By       trowel.AuditRecord // who asks, for the audit; nothing is recorded without an ActorKind
}

// Skip moves a schedule to a session after its next one; otherwise it is an ErrConflict. The sessions between are not
// created. It returns the schedule as it is afterwards, or would be for a dry run.
func Skip(ctx context.Context, store trowel.Store, id trowel.ScheduleID, r SkipRequest) (*trowel.ScheduledWorkflow, error) {
	if r.NextTime == nil && (r.From.IsZero() || r.Count == nil) {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: skipNeeds}
	}
	return change(ctx, store, id, r.DryRun, acting(r.By, "skip"), func(tx trowel.Tx, w *trowel.ScheduledWorkflow) error {
		return skip(ctx, tx, w, r)
	})
}

// EnableRequest asks to enable a schedule (language S37).
type EnableRequest struct {
	Skip     bool    // missed sessions are not started
	NextTime *Moment // continue with the first session from then on; nil for Now
	Now      time.Time
	Actor    string
	By       trowel.AuditRecord // as in SkipRequest
}

// Enable enables a schedule. Without Skip all missed sessions are started. If skipping is impossible, the error is an
// ErrConflict and the schedule stays disabled. Enabling twice is harmless.
func Enable(ctx context.Context, store trowel.Store, id trowel.ScheduleID, r EnableRequest) (*trowel.ScheduledWorkflow, error) {
	return change(ctx, store, id, false, acting(r.By, "enable"), func(tx trowel.Tx, w *trowel.ScheduledWorkflow) error {
		w.Schedule.DisabledAt = time.Time{}
		w.Schedule.UpdatedAt = r.Now
		if !r.Skip {
			return nil
		}
		to := r.NextTime
		if to == nil {
			to = &Moment{Time: r.Now}
		}
		return skip(ctx, tx, w, SkipRequest{NextTime: to, Now: r.Now, Actor: r.Actor})
	})
}

// Disable disables a schedule. Disabling twice sets a new time. by is who asks, for the audit; nothing is recorded
// without an ActorKind.
func Disable(ctx context.Context, store trowel.Store, id trowel.ScheduleID, now time.Time, by trowel.AuditRecord) (*trowel.ScheduledWorkflow, error) {
	return change(ctx, store, id, false, acting(by, "disable"), func(_ trowel.Tx, w *trowel.ScheduledWorkflow) error {
		w.Schedule.DisabledAt, w.Schedule.UpdatedAt = now, now
		return nil
	})
}

// change locks a schedule, changes it, and writes it with its record, unless it is a dry run.
func change(
	ctx context.Context, store trowel.Store, id trowel.ScheduleID, try bool, by trowel.AuditRecord, f func(trowel.Tx, *trowel.ScheduledWorkflow) error,
) (*trowel.ScheduledWorkflow, error) {
	var changed *trowel.ScheduledWorkflow
	err := store.Update(ctx, func(tx trowel.Tx) error {
		w, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		before := w.Schedule
		if err := f(tx, w); err != nil {
			return err
		}
		changed = w
		if try {
			return nil
		}
		if err := tx.UpdateSchedule(ctx, &w.Schedule); err != nil {
			return err
		}
		return record(ctx, tx, w, by, timesText(&before), timesText(&w.Schedule))
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

// lock reads a schedule for a change. If it does not exist, the error is an ErrNotFound with Digdag's text.
func lock(ctx context.Context, tx trowel.Tx, id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
	w, err := tx.LockSchedule(ctx, id)
	if errors.Is(err, trowel.ErrNotFound) {
		return nil, trowel.NotFound("schedule id=%d", id)
	}
	return w, err
}

// timesOf reads the times of a schedule.
func timesOf(w *trowel.ScheduledWorkflow) (*schedule.Schedule, error) {
	times, err := launch.ReadSchedule(&w.Definition.Workflow)
	if err == nil && times == nil {
		err = &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("workflow %q has no schedule", w.Schedule.Workflow), Hint: "push it with a schedule: block",
		}
	}
	return times, err
}

// skip moves a locked schedule and stores a decision about the skipped sessions.
func skip(ctx context.Context, tx trowel.Tx, w *trowel.ScheduledWorkflow, r SkipRequest) error {
	times, err := timesOf(w)
	if err != nil {
		return err
	}
	next, err := r.target(times)
	if err != nil {
		return err
	}
	row := &w.Schedule
	if !next.Session.After(row.NextSessionAt) {
		return &trowel.Error{
			Kind: trowel.ErrConflict, Message: alreadyPast,
			Hint: "the next session is that of " + row.NextSessionAt.In(times.Zone().Location).Format(time.RFC3339),
		}
	}
	if !r.RunAt.IsZero() {
		next.Run = r.RunAt
	}
	passed := trowel.Decision{
		At: r.Now, ScheduleID: row.ID, ProjectID: row.ProjectID, Workflow: row.Workflow,
		SessionAt: row.NextSessionAt, RunAt: row.NextRunAt, What: trowel.DecisionSkipped,
		Reason: fmt.Sprintf("%s skipped the sessions from this one to before that of %s", r.Actor, next.Session.Format(time.RFC3339)),
	}
	setNext(row, next)
	row.UpdatedAt = r.Now
	if r.DryRun {
		return nil
	}
	return tx.InsertDecisions(ctx, []trowel.Decision{passed})
}

// target is the time that a schedule shall move to.
func (r *SkipRequest) target(times *schedule.Schedule) (schedule.Time, error) {
	if r.NextTime != nil {
		return times.First(r.NextTime.in(times.Zone())), nil
	}
	if *r.Count > maxSteps {
		return schedule.Time{}, &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("cannot skip %d sessions at once", *r.Count),
			Hint: "give the time of the next session instead",
		}
	}
	next := times.First(r.From)
	for range *r.Count {
		if next.Finished() {
			break
		}
		next = times.Next(next.Session)
	}
	return next, nil
}
