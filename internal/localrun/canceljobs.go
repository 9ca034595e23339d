package localrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
)

// giveUp ends the attempts of an interrupted run that nobody goes on with: the one of a database that outlives the run, which
// must not count as running for ever, and all of them if tasks have started something outside, which is canceled.
func (l *run) giveUp(ctx context.Context, signals <-chan os.Signal) error {
	if err := l.flusher.Barrier(ctx); err != nil { // what was reported while the agent stopped
		return err
	}
	jobs, tasks, err := l.findJobs(ctx)
	if err != nil {
		return err
	}
	if l.storage.lasts() {
		jobs[l.attempt] = true
	}
	for id := range jobs {
		err = errors.Join(err, l.flusher.Kill(ctx, id, "signal"))
	}
	if err != nil || tasks == 0 {
		return err
	}
	return l.cancelJobs(ctx, tasks, signals)
}

// findJobs returns how many tasks have a job outside. If there are such tasks it returns all running attempts, not only
// theirs: the agent that cancels would run what is ready in the others.
func (l *run) findJobs(ctx context.Context) (attempts map[trowel.AttemptID]bool, tasks int, err error) {
	const most = 10_000 // attempts; a run has one, and those that require> begins
	attempts = map[trowel.AttemptID]bool{}
	err = l.storage.store.View(ctx, func(tx trowel.Tx) error {
		running, err := tx.ListRunning(ctx, 0, most)
		if err != nil {
			return err
		}
		for i := range running {
			rows, err := tx.ListTasks(ctx, running[i].ID, -1)
			if err != nil {
				return err
			}
			for _, row := range rows {
				if row.Flags&trowel.TaskHasJob != 0 && !row.State.Done() {
					tasks++
				}
			}
		}
		for i := range running {
			if tasks > 0 {
				attempts[running[i].ID] = true
			}
		}
		return nil
	})
	return attempts, tasks, err
}

// cancelJobs runs the tries that cancel the jobs of killed tasks, on an agent of their own, as that of the run has stopped.
// Another Ctrl-C leaves what is not canceled by then.
func (l *run) cancelJobs(ctx context.Context, tasks int, signals <-chan os.Signal) error {
	l.Log.InfoContext(ctx, "canceling what tasks have started outside", slog.Int("tasks", tasks))
	reported := make(chan struct{}, tasks)
	opts := l.agentOptions
	opts.ID, opts.Hook = "local-cancel", nil
	opts.Report = func(r trowel.Report) {
		l.agentOptions.Report(r)
		select {
		case reported <- struct{}{}:
		default:
		}
	}
	canceling := agent.New(ctx, opts)
	defer canceling.Wait()
	defer canceling.Stop()
	l.flusher.Attach(canceling)
	for left := tasks; left > 0; {
		select {
		case <-reported:
			left--
		case s := <-signals:
			if s == os.Interrupt {
				return fmt.Errorf("interrupted again: what %d tasks have started outside may go on", left)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
