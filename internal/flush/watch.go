package flush

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

const (
	// listAtOnce is how many running attempts one transaction lists, and releaseAtOnce how many tasks
	// of agents that are gone.
	listAtOnce    = 1000
	releaseAtOnce = 1000
	// afterOutage is how long after an outage of the store no agent is judged by the end of its lease:
	// none could renew it meanwhile.
	afterOutage = 15 * time.Second
	// afterStart is how long after the beginning no remote agent is judged: while no server was there none
	// could renew its lease. They come back within that time, since they try every second.
	afterStart = 3 * time.Second
	// never is how long nothing is looked for where nobody else does anything.
	never = 10_000 * time.Hour
)

// watch finds what nobody tells: attempts that others began or changed, and agents that are gone. It
// looks when it begins, when the earliest lease that it knows ends, and now and then. What it finds it
// hands to the flusher, and it waits for nothing but the store; if it dies half-way, the next look
// finds the rest. With a store of its own it looks at leases of remote agents alone, after the first time.
func (f *Flusher) watch(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	if f.opts.Adopt {
		f.recount(ctx)
	}
	began := f.opts.Now()
	var judge time.Time // when leases may be judged
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-f.around:
		}
		next, err := f.lookAround(ctx, began, judge)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			f.opts.Log.WarnContext(ctx, "running attempts not listed", slog.Any("error", err))
			judge = f.opts.Now().Add(afterOutage)
			next = time.Second
		}
		timer.Reset(next)
	}
}

// recount counts anew what running tasks hold, once, in case that somebody has changed the database by hand.
func (f *Flusher) recount(ctx context.Context) {
	var wrong map[string]int
	err := f.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		err := tx.LockLimits(ctx)
		if err == nil {
			wrong, err = tx.RecountUses(ctx)
		}
		return err
	})
	switch {
	case err != nil && ctx.Err() == nil:
		f.opts.Log.WarnContext(ctx, "limits not recounted", slog.Any("error", err))
	case len(wrong) > 0:
		f.opts.Log.WarnContext(ctx, "counters of limits were wrong, and are mended", slog.Any("by", wrong))
	}
}

// lookAround looks once and returns when to look again. Who does not adopt attempts learns which of its own
// have changed or ended.
func (f *Flusher) lookAround(ctx context.Context, began, judge time.Time) (next time.Duration, err error) {
	next = f.pause()
	if f.opts.Adopt {
		if next, err = f.releaseLost(ctx, began, judge); err != nil {
			return 0, err
		}
	}
	if err := f.listRunning(ctx); err != nil || !f.opts.Adopt {
		return next, err
	}
	if err := f.findOverdue(ctx); err != nil {
		return next, err
	}
	return next, f.admitWaiting(ctx)
}

// pause is how long to wait until the next look, if nothing is due before.
func (f *Flusher) pause() time.Duration {
	if f.opts.Sole {
		return never
	}
	return f.opts.Poll
}

// findOverdue finds attempts with tasks that run for too long, which nobody may have in memory.
func (f *Flusher) findOverdue(ctx context.Context) error {
	if f.opts.TTLs.Task <= 0 {
		return nil
	}
	var ids []trowel.AttemptID
	before := f.opts.Now().Add(-f.opts.TTLs.Task)
	err := f.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
		ids, err = tx.ListOverdue(ctx, before, listAtOnce)
		return err
	})
	for _, id := range ids {
		f.submit(&event{attempt: id, limit: true})
	}
	return err
}

// releaseLost forgets agents whose lease has ended and releases the tasks of all that are not there
// (language X59a).
func (f *Flusher) releaseLost(ctx context.Context, began, judge time.Time) (next time.Duration, err error) {
	for {
		var lost []trowel.Orphan
		err := f.opts.Store.Update(ctx, func(tx trowel.Tx) (err error) {
			next, err = f.forgetLost(ctx, tx, began, judge)
			if err == nil {
				// Leases were judged just now: what counts is which agents are there.
				lost, err = tx.ListOrphans(ctx, time.Unix(0, 0), releaseAtOnce)
			}
			return err
		})
		if err != nil || len(lost) == 0 {
			return next, err
		}
		again := slices.Equal(lost, f.lost) // what is left alone stays as it is
		f.lost = lost
		if !again {
			f.opts.Log.WarnContext(ctx, fmt.Sprintf("%d task locks are expired. Tasks will be retried.", len(lost))) //nolint:sloglint // language X59a
		}
		for _, o := range lost {
			f.submit(&event{attempt: o.AttemptID, what: engine.Release{Task: o.TaskID, Try: o.Try, Lost: true, Poison: f.opts.Poison}})
		}
		if err := f.Drain(ctx); err != nil || again || len(lost) < releaseAtOnce {
			return next, err
		}
	}
}

// forgetLost deletes the agents whose lease has ended and returns when the next one does. With a store of
// its own all agents of other servers have ended with those.
func (f *Flusher) forgetLost(ctx context.Context, tx trowel.Tx, began, judge time.Time) (next time.Duration, err error) {
	agents, err := tx.ListAgents(ctx)
	if err != nil {
		return 0, err
	}
	now, next := f.opts.Now(), f.pause()
	for _, a := range agents {
		judge := judge
		if start := began.Add(afterStart); a.Remote && judge.Before(start) {
			judge = start
		}
		switch {
		case a.ID == f.opts.Agent.ID():
		case f.opts.Sole && !a.Remote, !a.LeaseEnds.After(now) && !now.Before(judge):
			if err := f.lose(ctx, tx, a, now); err != nil {
				return 0, err
			}
		case a.LeaseEnds.After(now):
			next = min(next, a.LeaseEnds.Sub(now))
		default:
			next = min(next, judge.Sub(now))
		}
	}
	return next, nil
}

// listRunning tells the flusher which attempts run, and in which version.
func (f *Flusher) listRunning(ctx context.Context) error {
	found := listing{versions: map[trowel.AttemptID]int64{}, adopt: f.opts.Adopt}
	for after := trowel.AttemptID(0); ; {
		var rows []trowel.RunningAttempt
		err := f.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			rows, err = tx.ListRunning(ctx, after, listAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		for i := range rows {
			found.versions[rows[i].ID] = rows[i].Version
			after = rows[i].ID
		}
		if len(rows) < listAtOnce {
			break
		}
	}
	f.mu.Lock()
	f.looks.lists = append(f.looks.lists, found)
	for id := range f.elsewhere {
		if _, running := found.versions[id]; !running { // it has ended, or is newer than the list
			delete(f.elsewhere, id)
			f.looks.add([]trowel.AttemptID{id}, true)
		}
	}
	f.mu.Unlock()
	f.Wake()
	return nil
}
