package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/param"
)

// delayedAtOnce is how many waiting attempts are read in one transaction.
const delayedAtOnce = 100

// beginDelayed begins the attempts of backfills whose previous session has no unfinished attempt (language S40). Each is
// begun once, by the first server that comes.
func (s *Scheduler) beginDelayed(ctx context.Context) (time.Time, error) {
	for {
		var ready []trowel.QueuedBackfillAttempt
		err := s.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			ready, err = tx.ListDueBackfillAttempts(ctx, s.opts.Now(), delayedAtOnce)
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
		begun := 0
		for _, d := range ready {
			ok, err := s.begin(ctx, d.AttemptID)
			switch {
			case err != nil && isPassing(err):
				return time.Time{}, fmt.Errorf("begin attempt %d: %w", d.AttemptID, err)
			case err != nil: // the others must not wait because of this one
				s.opts.Log.ErrorContext(ctx, "attempt of a backfill not begun", slog.Int64("attempt_id", int64(d.AttemptID)), slog.Any("error", err))
			case ok:
				begun++
			}
		}
		if len(ready) < delayedAtOnce || begun == 0 {
			return time.Time{}, nil
		}
	}
}

// begin begins one attempt with its own revision, and reports whether it no longer waits. An attempt that cannot run is
// stored as a failed one, so that the next one gets its turn (differs from S40a, see docs/compatibility.md).
func (s *Scheduler) begin(ctx context.Context, id trowel.AttemptID) (bool, error) {
	var setting *trowel.AttemptContext
	var early bool
	err := s.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
		if early, err = isEarly(ctx, tx, id); err != nil || early {
			return err
		}
		setting, err = tx.FindAttemptContext(ctx, id)
		return err
	})
	if err == nil && !early {
		setting.Limits, err = dig.ControlOf(setting.Workflow.Definition)
	}
	if err != nil || early {
		return false, err
	}
	_, err = s.opts.Launcher.Flusher.Begin(ctx, engine.NewAttempt{
		Context: *setting, Attempt: trowel.Attempt{ID: id, Actor: "scheduler"}, Tasks: tasksOf(setting), KeepTooLarge: true,
	})
	switch {
	case errors.Is(err, trowel.ErrConflict), errors.Is(err, trowel.ErrNotFound): // it has begun or ended
		return s.forget(ctx, id)
	case err != nil && !errors.Is(err, trowel.ErrLimit): // an attempt with too many tasks is stored as a failed one
		return false, err
	}
	s.opts.Log.InfoContext(ctx, "attempt of a backfill begun", slog.String("project", setting.Project.Name), slog.String("workflow", setting.Session.Workflow),
		slog.Time("session_time", setting.Session.Time), slog.Int64("attempt_id", int64(id)))
	return true, nil
}

// forget deletes an attempt's row of waiting if it has begun or ended, and reports whether it has.
func (s *Scheduler) forget(ctx context.Context, id trowel.AttemptID) (over bool, err error) {
	err = s.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		a, err := tx.FindAttempt(ctx, id)
		if err != nil {
			return err
		}
		rows, err := tx.ListTasks(ctx, id, -1)
		over = len(rows) > 0 || !a.FinishedAt.IsZero()
		if err != nil || !over {
			return err
		}
		return tx.DeleteQueuedBackfillAttempt(ctx, id)
	})
	return over, err
}

// isEarly reports whether an earlier attempt of the backfill still runs or waits, although the session before this one
// has no unfinished attempt. That happens if the attempt before was killed while it waited.
func isEarly(ctx context.Context, tx trowel.Tx, id trowel.AttemptID) (bool, error) {
	own, err := tx.FindAttemptSummary(ctx, id)
	if err != nil {
		return false, err
	}
	f := trowel.AttemptFilter{Project: own.Project.ID, Workflow: own.Session.Workflow, Before: id, Limit: delayedAtOnce}
	for {
		list, err := tx.ListAttempts(ctx, f)
		if err != nil {
			return false, err
		}
		for _, a := range list {
			switch {
			case a.Attempt.CreatedAt.Before(own.Attempt.CreatedAt):
				return false, nil // all attempts of a backfill are created at the same instant
			case a.Attempt.Name != own.Attempt.Name || a.Attempt.Cause != launch.CauseBackfill:
			case a.Attempt.FinishedAt.IsZero():
				return true, nil
			case a.Attempt.Flags.Status() != "killed":
				return false, nil // it began after all earlier ones had ended
			}
		}
		if len(list) < f.Limit {
			return false, nil
		}
		f.Before = list[len(list)-1].Attempt.ID
	}
}

// tasksOf compiles the workflow of an attempt. If it no longer compiles, because another version of the program stored
// it, the only task is one that fails with the reason.
func tasksOf(setting *trowel.AttemptContext) []dig.Task {
	plan, err := launch.NewPlan(trowel.Definition{Project: setting.Project, Revision: setting.Revision, Workflow: setting.Workflow})
	if err == nil {
		return plan.Tasks
	}
	name := "+" + setting.Workflow.Name
	return []dig.Task{{
		Parent: -1, Name: name, FullName: name, Local: param.Of("_type", "fail", "_command", err.Error()), Export: param.New(),
	}}
}
