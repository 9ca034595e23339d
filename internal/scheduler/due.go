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
	// dueAtOnce is how many schedules one step handles. Each moves by one session.
	dueAtOnce = 1000
	// takenAtOnce is how many of them one server may lock.
	takenAtOnce = 500
	// startsAtOnce is how many sessions are started concurrently, so that the flusher can batch them.
	startsAtOnce = 256
)

// startDue starts all due sessions and returns when the next one is due. All its steps see the same instant as now
// (language S24a). Each step moves each schedule by one session, so the sessions of a schedule start in order, and after
// a downtime several schedules take turns.
func (s *Scheduler) startDue(ctx context.Context) (next time.Time, err error) {
	now := s.opts.Now()
	for {
		n, err := s.step(ctx, now)
		if err != nil {
			return time.Time{}, err
		}
		if n > 0 {
			continue
		}
		err = s.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			next, err = tx.FindNextRun(ctx)
			return err
		})
		if err == nil && s.opts.Shared && !next.IsZero() && !next.After(now) {
			err = errStuck // other servers have locked them
		}
		return next, err
	}
}

// step starts one session of each of some schedules, and then moves the schedules in one transaction. It returns how
// many there were. Meanwhile the schedules are locked for other servers on the same database. If they are not moved,
// nothing is lost, because a session is started only once.
func (s *Scheduler) step(ctx context.Context, now time.Time) (n int, err error) {
	if !s.opts.Shared {
		var due []*trowel.ScheduledWorkflow
		err := s.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			due, err = tx.ListDueSchedules(ctx, now, dueAtOnce)
			return err
		})
		if err != nil || len(due) == 0 {
			return 0, err
		}
		outcomes := s.handleAll(ctx, due, now)
		var moved []trowel.ScheduleID
		err = s.opts.Store.Update(ctx, func(tx trowel.Tx) (err error) {
			moved, err = move(ctx, tx, outcomes, now)
			return err
		})
		if err != nil {
			return 0, err
		}
		return len(due), s.logOutcomes(ctx, outcomes, moved)
	}
	var outcomes []outcome
	var moved []trowel.ScheduleID
	err = s.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		due, err := tx.TakeDueSchedules(ctx, now, takenAtOnce)
		if n = len(due); err != nil || n == 0 {
			return err
		}
		outcomes = s.handleAll(ctx, due, now)
		moved, err = move(ctx, tx, outcomes, now)
		return err
	})
	if err != nil || n == 0 {
		return n, err
	}
	return n, s.logOutcomes(ctx, outcomes, moved)
}

// handleAll starts sessions concurrently.
func (s *Scheduler) handleAll(ctx context.Context, due []*trowel.ScheduledWorkflow, now time.Time) []outcome {
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
	return outcomes
}

// move moves schedules, stores the decisions, and returns the schedules that it moved. A schedule that somebody else has
// moved meanwhile stays as it is, and no decision is stored.
func move(ctx context.Context, tx trowel.Tx, outcomes []outcome, now time.Time) ([]trowel.ScheduleID, error) {
	var moves []trowel.ScheduleMove
	decided := map[trowel.ScheduleID]trowel.Decision{}
	for _, o := range outcomes {
		if o.err != nil {
			continue
		}
		o.move.Schedule.UpdatedAt, o.decision.At = now, now
		moves = append(moves, o.move)
		decided[o.move.Schedule.ID] = o.decision
	}
	// Ordered by id, so that servers never wait for one another in a circle.
	slices.SortFunc(moves, func(a, b trowel.ScheduleMove) int { return cmp.Compare(a.Schedule.ID, b.Schedule.ID) })
	moved, err := tx.UpdateSchedules(ctx, moves)
	if err != nil {
		return nil, err
	}
	made := make([]trowel.Decision, len(moved))
	for i, id := range moved {
		made[i] = decided[id]
	}
	return moved, tx.InsertDecisions(ctx, made)
}

// logOutcomes logs what became of sessions. An error of the database, which is no fault of a session, is returned after the
// others were logged.
func (s *Scheduler) logOutcomes(ctx context.Context, outcomes []outcome, moved []trowel.ScheduleID) error {
	var failed error
	decided := map[trowel.ScheduleID]outcome{}
	for _, o := range outcomes {
		if o.err != nil {
			failed = o.err
			continue
		}
		decided[o.move.Schedule.ID] = o
	}
	switch {
	case failed != nil:
		return failed
	case len(moved) == 0:
		return errStuck
	}
	for _, id := range moved {
		s.logOutcome(ctx, decided[id])
	}
	return nil
}
