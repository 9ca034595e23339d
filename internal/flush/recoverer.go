package flush

import (
	"context"
	"log/slog"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/wait"
)

const (
	// listAtOnce is how many running attempts one transaction lists.
	listAtOnce = 1000
	// never is the interval if nobody else can change anything.
	never = 10_000 * time.Hour
)

// recoverer looks for what no message tells: attempts that other servers began or changed, and agents that are
// gone. It has a goroutine of its own, and submits what it finds.
type recoverer struct {
	store     trowel.Store
	log       *slog.Logger
	now       func() time.Time
	inbox     *inbox
	reloader  *reloader
	admission *admission
	own       queue.Agent
	// recovers is set if the flusher serves attempts that it did not begin, too; exclusive if no other process
	// uses the store.
	recovers, exclusive bool

	poll   time.Duration
	poison int // how often in a row a task may be lost with its agent; zero for any number
	ttls   engine.TTLs
	gap    wait.Signal // look now

	began      time.Time
	judgeAfter time.Time       // no lease is judged before this
	lost       []trowel.Orphan // tasks of lost agents that the last look has found
}

// run looks at the start, when the next lease ends, and at intervals. It waits only for the store. If it fails
// half-way, the next look finds the rest. With an exclusive store there are no intervals: after the start it
// only looks when the lease of a remote agent ends.
func (rc *recoverer) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	if rc.recovers {
		rc.recount(ctx)
	}
	rc.began = rc.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-rc.gap:
		}
		next, err := rc.resync(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			rc.log.WarnContext(ctx, "running attempts not listed", slog.Any("error", err))
			rc.judgeAfter = rc.now().Add(afterOutage)
			next = time.Second
		}
		timer.Reset(next)
	}
}

// recount corrects the counters of limits at the start, in case somebody has changed the database by hand.
func (rc *recoverer) recount(ctx context.Context) {
	var wrong map[string]int
	err := rc.store.Update(ctx, func(tx trowel.Tx) error {
		err := tx.LockLimits(ctx)
		if err == nil {
			wrong, err = tx.RecountCounters(ctx)
		}
		return err
	})
	switch {
	case err != nil && ctx.Err() == nil:
		rc.log.WarnContext(ctx, "limits not recounted", slog.Any("error", err))
	case len(wrong) > 0:
		rc.log.WarnContext(ctx, "counters of limits were wrong, and are mended", slog.Any("by", wrong))
	}
}

// resync looks once, and returns how long it is until the next look. Unless the flusher recovers attempts, it
// only finds which of its own others have changed or ended.
func (rc *recoverer) resync(ctx context.Context) (next time.Duration, err error) {
	next = rc.interval()
	if rc.recovers {
		if next, err = rc.releaseLost(ctx); err != nil {
			return 0, err
		}
	}
	if err := rc.listRunning(ctx); err != nil || !rc.recovers {
		return next, err
	}
	if err := rc.findOverdue(ctx); err != nil {
		return next, err
	}
	return next, rc.admission.requestAll(ctx)
}

// interval returns how long it is until the next look, if no lease ends before.
func (rc *recoverer) interval() time.Duration {
	if rc.exclusive {
		return never
	}
	return rc.poll
}

// listRunning tells the reloader which attempts run, and in which version.
func (rc *recoverer) listRunning(ctx context.Context) error {
	versions := map[trowel.AttemptID]int64{}
	for after := trowel.AttemptID(0); ; {
		var rows []trowel.RunningAttempt
		err := rc.store.View(ctx, func(tx trowel.Tx) (err error) {
			rows, err = tx.ListRunning(ctx, after, listAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		for i := range rows {
			versions[rows[i].ID] = rows[i].Version
			after = rows[i].ID
		}
		if len(rows) < listAtOnce {
			break
		}
	}
	rc.reloader.listed(versions)
	return nil
}

// findOverdue submits attempts with tasks that run for too long: no server may have them in memory.
func (rc *recoverer) findOverdue(ctx context.Context) error {
	if rc.ttls.Task <= 0 {
		return nil
	}
	var ids []trowel.AttemptID
	before := rc.now().Add(-rc.ttls.Task)
	err := rc.store.View(ctx, func(tx trowel.Tx) (err error) {
		ids, err = tx.ListOverdue(ctx, before, listAtOnce)
		return err
	})
	for _, id := range ids {
		rc.inbox.submit(&timeLimitRequest{attempt: id, ttls: rc.ttls})
	}
	return err
}
