package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// reloadBare reads what attempts without a tree in memory wait for: their ready tasks, and the instants at
// which they go on.
func (rl *reloader) reloadBare(ctx context.Context, tx trowel.Tx, bare []trowel.RunningAttempt) error {
	if len(bare) == 0 {
		return nil
	}
	ids := make([]trowel.AttemptID, 0, len(bare))
	for i := range bare {
		if rl.loader.leaves(ctx, &bare[i]) {
			continue
		}
		ids = append(ids, bare[i].ID)
		if err := rl.resetBare(ctx, tx, &bare[i]); err != nil {
			return err
		}
	}
	l := rl.loader
	live, err := tx.ListLive(ctx, ids)
	if err != nil {
		return err
	}
	for i := range live {
		rl.trackLive(l.cache.get(live[i].AttemptID), &live[i])
	}
	monitors, err := tx.ListSLATimers(ctx, ids)
	for i := range monitors {
		l.timers.setSLA(l.cache.get(monitors[i].AttemptID), &monitors[i])
	}
	return err
}

// resetBare drops the alarms and ready tasks that were known of an attempt.
func (rl *reloader) resetBare(ctx context.Context, tx trowel.Tx, row *trowel.RunningAttempt) error {
	l := rl.loader
	control, err := l.workflows.find(ctx, tx, row.WorkflowID)
	if err != nil {
		return err
	}
	a := l.cache.entry(row.ID)
	a.workflow = trowel.WorkflowName{ProjectID: row.ProjectID, Name: row.Workflow}
	a.control, a.version = control, row.Version
	l.timers.drop(a)
	l.backlog.Drop(a.id)
	l.timers.limitAttempt(a, row.CreatedAt)
	if row.Flags&trowel.AttemptCancelRequested != 0 && l.backlog.Runs(a.id) {
		l.timers.setRefresh(a, rl.now()) // loader.track asks the agents to stop
	}
	return nil
}

// trackLive queues a task that is ready, or sets the alarm of a waiting one.
func (rl *reloader) trackLive(a *attempt, row *trowel.LiveTask) {
	l := rl.loader
	switch {
	case row.State == trowel.TaskReady:
		l.backlog.Add(a.liveReady(row))
	case waits(row.State):
		l.timers.setDue(a, row.TaskID, row.RetryAt)
		l.timers.limitTask(a, row.StartedAt)
	case row.WaitReason == trowel.WaitEvaluating:
		l.timers.setRefresh(a, rl.now().Add(evaluatingFor))
	}
}
