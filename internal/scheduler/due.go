package scheduler

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	// dueAtOnce is how many schedules one step takes. Each gets one session on.
	dueAtOnce = 1000
	// startsAtOnce is how many sessions are started side by side, for the flusher to gather.
	startsAtOnce = 256
)

// startDue starts all sessions that are due, and returns when the next one is. Now is the instant at
// which the check began, for all its steps (language S24a). Each step moves each schedule by one
// session, so those of one schedule start in their order, and after a downtime several schedules take
// turns.
func (s *Scheduler) startDue(ctx context.Context) (next time.Time, err error) {
	now := s.opts.Now()
	for {
		var due []*trowel.ScheduledWorkflow
		err := s.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			if due, err = tx.ListDueSchedules(ctx, now, dueAtOnce); err == nil && len(due) == 0 {
				next, err = tx.FindNextRun(ctx)
			}
			return err
		})
		if err != nil || len(due) == 0 {
			return next, err
		}
		if err := s.step(ctx, due, now); err != nil {
			return time.Time{}, err
		}
	}
}

// step starts one session of each schedule, and then moves the schedules in one transaction.
func (s *Scheduler) step(ctx context.Context, due []*trowel.ScheduledWorkflow, now time.Time) error {
	outcomes := make([]outcome, len(due))
	free := make(chan struct{}, startsAtOnce)
	var starting sync.WaitGroup
	for i, w := range due {
		free <- struct{}{}
		starting.Go(func() {
			outcomes[i] = s.handle(ctx, w, now)
			<-free
		})
	}
	starting.Wait()
	return s.record(ctx, outcomes, now)
}

// record moves schedules and writes down why. A schedule that somebody else has moved meanwhile stays
// as it is, and nothing is written about it. An error of the database itself, which is no fault of a
// session, comes back after the others were recorded.
func (s *Scheduler) record(ctx context.Context, outcomes []outcome, now time.Time) error {
	var failed error
	var moves []trowel.ScheduleMove
	decided := map[trowel.ScheduleID]outcome{}
	for _, o := range outcomes {
		if o.err != nil {
			failed = o.err
			continue
		}
		o.move.Schedule.UpdatedAt, o.decision.At = now, now
		moves = append(moves, o.move)
		decided[o.move.Schedule.ID] = o
	}
	// In the order of their ids, so that servers wait for one another and never in a circle.
	slices.SortFunc(moves, func(a, b trowel.ScheduleMove) int { return cmp.Compare(a.Schedule.ID, b.Schedule.ID) })
	var moved []trowel.ScheduleID
	err := s.opts.Store.Update(ctx, func(tx trowel.Tx) (err error) {
		if moved, err = tx.UpdateSchedules(ctx, moves); err != nil {
			return err
		}
		made := make([]trowel.Decision, len(moved))
		for i, id := range moved {
			made[i] = decided[id].decision
		}
		return tx.InsertDecisions(ctx, made)
	})
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case len(moved) == 0:
		return errStuck
	}
	for _, id := range moved {
		s.tell(ctx, decided[id])
	}
	return nil
}
