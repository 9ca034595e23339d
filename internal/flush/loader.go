package flush

import (
	"context"
	"errors"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
)

// loader reads attempts into the cache, sets their alarms, and puts their ready tasks into the backlog.
type loader struct {
	log       *slog.Logger
	now       func() time.Time
	cache     *cache
	timers    *timers
	backlog   *queue.Backlog
	agents    *agents
	workflows *workflows
	defaults  *param.Map

	// onLeave is called when an attempt is left alone from now on; may be nil.
	onLeave func()

	// evaluations that loaded attempts were waiting for.
	evaluations []evaluation
}

// refresh brings an attempt up to date with its row in the store: it reads the tasks that other servers
// changed, or all of them if the tree is not in memory. An attempt that is not understood is an ErrUnknown.
func (l *loader) refresh(ctx context.Context, tx trowel.Tx, row *trowel.Attempt) (*attempt, error) {
	a := l.cache.get(row.ID)
	if a == nil || a.tree == nil {
		return l.load(ctx, tx, row)
	}
	if a.tree.Attempt.Version >= row.Version {
		return a, nil
	}
	rows, err := tx.ListTasks(ctx, row.ID, a.tree.Attempt.Version)
	if err == nil {
		err = understood(row, rows)
	}
	if err != nil {
		return nil, err
	}
	a.streak = 0
	l.track(a, a.tree.Refresh(*row, rows))
	a.stored = *row
	l.cache.touch(a)
	return a, nil
}

// load reads the task tree of an attempt.
func (l *loader) load(ctx context.Context, tx trowel.Tx, row *trowel.Attempt) (*attempt, error) {
	setting, err := tx.FindAttemptContext(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	setting.Defaults, setting.Limits = l.defaults, l.workflows.of(&setting.Workflow)
	setting.Workflow.Definition = nil // the tasks have what they need of it, and each attempt would keep one
	tasks, err := tx.ListTasks(ctx, row.ID, -1)
	if err == nil {
		err = understood(row, tasks)
	}
	if err != nil {
		return nil, err
	}
	tree, err := engine.NewTaskTree(*row, setting, tasks)
	if err != nil {
		return nil, err
	}
	a := l.cache.entry(row.ID)
	l.cache.put(a, tree)
	l.timers.drop(a)
	l.backlog.Drop(a.id)
	if err := l.loadExtras(ctx, tx, a); err != nil {
		return nil, err
	}
	l.track(a, tasks)
	l.evaluations = appendEvaluations(l.evaluations, a, tree.Evaluations())
	l.timers.limitAttempt(a, row.CreatedAt)
	return a, nil
}

// loadExtras reads what an attempt has besides its tasks.
func (l *loader) loadExtras(ctx context.Context, tx trowel.Tx, a *attempt) error {
	resumed, err := tx.ListResumed(ctx, a.id)
	if err != nil {
		return err
	}
	a.resumed = len(resumed) > 0
	a.tree.SetResumed(resumed)
	monitor, err := tx.FindSLATimer(ctx, a.id)
	if errors.Is(err, trowel.ErrNotFound) {
		a.monitored = false
		return nil
	}
	if err != nil {
		return err
	}
	l.timers.setSLA(a, monitor)
	return nil
}

// track handles rows that were read from the store. It queues ready tasks, sets the alarms of waiting ones, and
// asks agents to stop the tries that were killed.
func (l *loader) track(a *attempt, rows []*trowel.Task) {
	killed := map[string][]trowel.TryID{}
	for _, row := range rows {
		queueTask(l.backlog, a, row)
		l.timers.setTask(a, row, row.State)
		if row.State == trowel.TaskRunning && row.Flags&trowel.TaskCancelRequested != 0 {
			killed[row.AgentID] = append(killed[row.AgentID], trowel.TryID{Task: row.ID, Number: row.Try})
		}
	}
	l.agents.cancel(killed)
}

// takeEvaluations returns the evaluations of loaded attempts, and clears the list.
func (l *loader) takeEvaluations() []evaluation {
	list := l.evaluations
	l.evaluations = nil
	return list
}

// end drops an attempt that has ended, and tells those who wait for that.
func (l *loader) end(row trowel.Attempt) {
	if a := l.cache.get(row.ID); a != nil {
		a.ended(row)
		l.drop(a)
	}
}

// drop removes an attempt from memory.
func (l *loader) drop(a *attempt) {
	l.timers.drop(a)
	l.backlog.End(a.id)
	l.cache.remove(a)
}

// queueTask puts a task into the backlog if it is ready, and takes it out if it is not.
func queueTask(backlog *queue.Backlog, a *attempt, row *trowel.Task) {
	if row.State == trowel.TaskReady {
		backlog.Add(a.ready(row))
	} else {
		backlog.Remove(a.id, row.ID)
	}
	if row.State == trowel.TaskRunning {
		backlog.Started(a.id, row.ID, a.workflow)
	} else {
		backlog.Stopped(a.id, row.ID)
	}
}
