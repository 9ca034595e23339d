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

// delayedAtOnce is how many waiting attempts are read at once.
const delayedAtOnce = 100

// beginDelayed begins attempts of backfills whose turn has come (language S40): the session before
// them has no unfinished attempt. Each is begun once, by whichever server comes first.
func (s *Scheduler) beginDelayed(ctx context.Context) (time.Time, error) {
	for {
		var ready []trowel.Delayed
		err := s.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			ready, err = tx.ListReadyDelayed(ctx, s.opts.Now(), delayedAtOnce)
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
		for _, d := range ready {
			if err := s.begin(ctx, d.AttemptID); err != nil {
				return time.Time{}, fmt.Errorf("begin attempt %d: %w", d.AttemptID, err)
			}
		}
		if len(ready) < delayedAtOnce {
			return time.Time{}, nil
		}
	}
}

// begin begins one attempt, with the revision that it was made with. One that cannot run is kept as a
// failed one, so that the next one has its turn (differs from S40a, see docs/compatibility.md).
func (s *Scheduler) begin(ctx context.Context, id trowel.AttemptID) error {
	var setting *trowel.Setting
	err := s.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
		setting, err = tx.FindSetting(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.opts.Launcher.Flusher.Begin(ctx, engine.NewAttempt{
		Setting: *setting, Attempt: trowel.Attempt{ID: id, Actor: "scheduler"}, Tasks: tasksOf(setting), KeepTooLarge: true,
	})
	switch {
	case errors.Is(err, trowel.ErrConflict), errors.Is(err, trowel.ErrNotFound): // it has begun or ended: it waits no more
		return s.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.DeleteDelayed(ctx, id) })
	case err != nil && !errors.Is(err, trowel.ErrLimit): // at the limit of tasks it is kept as a failed one
		return err
	}
	s.opts.Log.InfoContext(ctx, "attempt of a backfill begun", slog.String("workflow", setting.Session.Workflow),
		slog.Time("session_time", setting.Session.Time), slog.Int64("attempt_id", int64(id)))
	return nil
}

// tasksOf compiles the workflow of an attempt. One that does not compile any more, as another version
// of the program has stored it, becomes a task that fails with the reason.
func tasksOf(setting *trowel.Setting) []dig.Task {
	plan, err := launch.NewPlan(trowel.Definition{Project: setting.Project, Revision: setting.Revision, Workflow: setting.Workflow})
	if err == nil {
		return plan.Tasks
	}
	name := "+" + setting.Workflow.Name
	return []dig.Task{{
		Parent: -1, Name: name, FullName: name, Local: param.Of("_type", "fail", "_command", err.Error()), Export: param.New(),
	}}
}
