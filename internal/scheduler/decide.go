package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/schedule"
)

// How long a session is postponed (language S27).
const (
	afterLimit = 600 * time.Second
	afterError = 3600 * time.Second
)

// outcome is the decision about a session of a schedule: where the schedule moves, and why.
type outcome struct {
	move     trowel.ScheduleMove
	decision trowel.Decision
	project  string // name, for the log
	err      error  // if set, nothing was decided: the database is unavailable, or the scheduler stops
}

// session is a due session.
type session struct {
	trowel.ScheduledWorkflow
	plan *schedule.Schedule
	now  time.Time
}

// handle skips, starts or postpones the session of a due schedule (language S25 to S27).
func (s *Scheduler) handle(ctx context.Context, w *trowel.ScheduledWorkflow, now time.Time) outcome {
	d := session{ScheduledWorkflow: *w, now: now}
	var err error
	if d.plan, err = launch.ReadSchedule(&w.Definition.Workflow); err != nil {
		return d.failed(err)
	}
	if d.plan == nil {
		return d.failed(errors.New("the workflow has no schedule"))
	}
	late, set, err := d.plan.SkipDelayedBy()
	if err != nil {
		return d.failed(err)
	}
	if set && now.After(d.Schedule.NextRunAt.Add(late)) {
		return d.skipped(fmt.Sprintf(trowel.RuleSkipDelayed+": it is later than %s after the run time", late))
	}
	overtime, err := d.plan.SkipOnOvertime()
	if err != nil {
		return d.failed(err)
	}
	if overtime {
		if o, skip := s.overtime(ctx, &d); skip {
			return o
		}
	}
	return s.start(ctx, &d)
}

// overtime skips a session if the workflow has an active attempt (language S26). That may be the session's own attempt,
// if another server has started it, or this one before it was interrupted.
func (s *Scheduler) overtime(ctx context.Context, d *session) (o outcome, skip bool) {
	var active bool
	var own *trowel.Attempt
	err := s.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
		if active, err = tx.HasActiveAttempt(ctx, d.Schedule.ProjectID, d.Schedule.Workflow); err != nil || !active {
			return err
		}
		own, err = tx.FindLatestAttempt(ctx, d.Schedule.ProjectID, d.Schedule.Workflow, d.Schedule.NextSessionAt, "")
		if errors.Is(err, trowel.ErrNotFound) {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return outcome{err: err}, true
	case !active:
		return o, false
	case own != nil && own.Cause == launch.CauseSchedule:
		return d.started(trowel.DecisionStarted, "", own.ID), true
	}
	return d.skipped(trowel.RuleSkipOvertime + ": another attempt of the workflow is active"), true
}

// start begins the attempt of the session (language S27). Its parameters are only those of the schedule (language A9);
// its SLA counts from the run time (language S44).
func (s *Scheduler) start(ctx context.Context, d *session) outcome {
	plan, err := launch.NewPlan(d.Definition)
	if err != nil {
		return d.failed(err)
	}
	a := plan.Attempt(d.Schedule.NextSessionAt, "", nil, d.Schedule.LastSessionAt)
	a.Attempt.Cause, a.Attempt.Actor = launch.CauseSchedule, "scheduler"
	a.SLATimer = plan.SLATimer(d.Schedule.NextRunAt)
	a.KeepTooLarge = true
	begun, err := s.opts.Launcher.Begin(ctx, a)
	taken, isTaken := errors.AsType[*launch.TakenError](err)
	switch {
	case err == nil:
		return d.started(trowel.DecisionStarted, "", begun.Attempt.ID)
	case isTaken && taken.Existing.Attempt.Cause == launch.CauseSchedule:
		return d.started(trowel.DecisionStarted, "", taken.Existing.Attempt.ID)
	case isTaken:
		return d.started(trowel.DecisionSkipped, "the session has an attempt already", taken.Existing.Attempt.ID)
	case begun != nil:
		return d.started(trowel.DecisionError, err.Error(), begun.Attempt.ID)
	case errors.Is(err, trowel.ErrLimit):
		return d.postponed(trowel.DecisionPostponed, d.now.Add(afterLimit), err.Error())
	case errors.Is(err, trowel.ErrNotFound):
		return d.postponed(trowel.DecisionPostponed, d.Schedule.NextRunAt.Add(afterError), err.Error())
	}
	return d.failed(err)
}

// failed postpones a session that cannot be started. An error that says nothing about the session is passed on.
func (d *session) failed(err error) outcome {
	if isPassing(err) {
		return outcome{err: fmt.Errorf("start %q: %w", d.Schedule.Workflow, err)}
	}
	return d.postponed(trowel.DecisionError, d.now.Add(afterError), err.Error())
}

// isPassing reports whether an error says nothing about a session: the database is unavailable, or the scheduler stops.
func isPassing(err error) bool {
	return errors.Is(err, trowel.ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (d *session) started(what, reason string, id trowel.AttemptID) outcome {
	o := d.next(what, reason)
	o.move.Schedule.LastSessionAt = d.Schedule.NextSessionAt
	o.decision.AttemptID = id
	return o
}

func (d *session) skipped(reason string) outcome { return d.next(trowel.DecisionSkipped, reason) }

// next moves the schedule to the session after this one.
func (d *session) next(what, reason string) outcome {
	o := d.outcome(what, reason)
	following := d.plan.Next(d.Schedule.NextSessionAt)
	o.move.Schedule.NextSessionAt, o.move.Schedule.NextRunAt = following.Session, following.Run
	return o
}

func (d *session) postponed(what string, until time.Time, reason string) outcome {
	o := d.outcome(what, reason)
	o.move.Schedule.NextRunAt = until
	return o
}

func (d *session) outcome(what, reason string) outcome {
	row := &d.Schedule
	return outcome{
		project: d.Definition.Project.Name,
		move:    trowel.ScheduleMove{Schedule: *row, From: row.NextSessionAt},
		decision: trowel.Decision{
			ScheduleID: row.ID, ProjectID: row.ProjectID, Workflow: row.Workflow,
			SessionAt: row.NextSessionAt, RunAt: row.NextRunAt, What: what, Reason: reason,
		},
	}
}

// logOutcome logs a decision. A started session has an attempt, which has a log entry of its own.
func (s *Scheduler) logOutcome(ctx context.Context, o outcome) {
	d := &o.decision
	attrs := []slog.Attr{
		slog.String("project", o.project), slog.String("workflow", d.Workflow), slog.Time("session_time", d.SessionAt),
	}
	if d.Reason != "" {
		attrs = append(attrs, slog.String("reason", d.Reason))
	}
	if d.AttemptID != 0 {
		attrs = append(attrs, slog.Int64("attempt_id", int64(d.AttemptID)))
	}
	switch d.What {
	case trowel.DecisionStarted:
		s.opts.Log.LogAttrs(ctx, slog.LevelDebug, "session of a schedule started", attrs...)
	case trowel.DecisionSkipped:
		s.opts.Log.LogAttrs(ctx, slog.LevelInfo, "session of a schedule skipped", attrs...)
	case trowel.DecisionPostponed:
		attrs = append(attrs, slog.Time("next_run_time", o.move.Schedule.NextRunAt))
		s.opts.Log.LogAttrs(ctx, slog.LevelWarn, "session of a schedule put off", attrs...)
	default:
		attrs = append(attrs, slog.Time("next_run_time", o.move.Schedule.NextRunAt))
		s.opts.Log.LogAttrs(ctx, slog.LevelWarn, "session of a schedule failed", attrs...)
	}
}
