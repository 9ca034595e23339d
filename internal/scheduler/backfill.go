package scheduler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of server 2.5.
const (
	tooFewSessions = "count is set to %d but there are only %d attempts until the next schedule time"
	backfillTaken  = "Attempt of project id=%d workflow=%s instant=%s attempt name=%s already exists"
)

// maxBackfill is how many sessions one backfill may have.
const maxBackfill = 10_000

// BackfillRequest asks for attempts of past sessions (language S38).
type BackfillRequest struct {
	From   time.Time // the first session is the first whose run time is not before
	Name   string    // the name of all attempts
	Count  *int      // the number of sessions, which must exist; nil for all up to the next one
	DryRun bool      // change nothing
	Limit  int       // how many attempts may run at the same time (language C40)
	Now    time.Time
	Actor  string
	By     trowel.AuditRecord // who asks, for the audit; nothing is recorded without an ActorKind
}

// Backfilled is what a backfill started, ordered by session time. The attempts of a dry run have neither ids nor
// parameters.
type Backfilled struct {
	Schedule trowel.ScheduledWorkflow
	Attempts []*trowel.AttemptSummary
}

// Backfill stores an attempt for each session from a time up to the schedule's next one. They begin one after the other
// (language S40), so wake the scheduler. The schedule itself stays unchanged, and no SLA is armed (language S41). If one
// of the sessions already has an attempt of that name, the error is an ErrConflict. More attempts than may run, or fewer
// sessions than asked for, are refused. After an error nothing is stored.
func Backfill(ctx context.Context, store trowel.Store, id trowel.ScheduleID, r BackfillRequest) (*Backfilled, error) {
	if err := launch.CheckName(r.Name, "session attempt"); err != nil {
		return nil, err
	}
	var done *Backfilled
	err := store.Update(ctx, func(tx trowel.Tx) error {
		w, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		done = &Backfilled{Schedule: *w}
		sessions, err := r.sessions(w)
		if err != nil {
			return err
		}
		if err := r.checkFree(ctx, tx, w, sessions); err != nil {
			return err
		}
		plan, err := launch.NewPlan(w.Definition)
		if err != nil {
			return err
		}
		if r.DryRun {
			done.Attempts = r.rehearse(plan, sessions)
			return nil
		}
		if done.Attempts, err = r.insert(ctx, tx, plan, sessions); err != nil {
			return err
		}
		return record(ctx, tx, w, acting(r.By, "backfill"), nil, param.Of(
			"from", r.From.UTC().Format(time.RFC3339), "name", r.Name, "attempts", len(done.Attempts),
		))
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// sessions returns the session times of the backfill.
func (r *BackfillRequest) sessions(w *trowel.ScheduledWorkflow) ([]time.Time, error) {
	times, err := timesOf(w)
	if err != nil {
		return nil, err
	}
	var list []time.Time
	before := w.Schedule.NextSessionAt
	for at := times.First(r.From); at.Session.Before(before) && !at.Finished(); at = times.Next(at.Session) {
		if r.Count != nil && len(list) >= *r.Count {
			break
		}
		if len(list) == maxBackfill {
			return nil, &trowel.Error{
				Kind: trowel.ErrLimit, Message: fmt.Sprintf("cannot backfill more than %d sessions at once", maxBackfill),
				Hint: "give a count, and go on with a later time",
			}
		}
		list = append(list, at.Session)
	}
	if r.Count != nil && len(list) < *r.Count {
		return nil, &trowel.Error{Kind: trowel.ErrInvalid, Message: fmt.Sprintf(tooFewSessions, *r.Count, len(list))}
	}
	return list, nil
}

// checkFree refuses a name that an attempt of one of the sessions has (language S39).
func (r *BackfillRequest) checkFree(ctx context.Context, tx trowel.Tx, w *trowel.ScheduledWorkflow, sessions []time.Time) error {
	for _, at := range sessions {
		_, err := tx.FindLatestAttempt(ctx, w.Schedule.ProjectID, w.Schedule.Workflow, at, r.Name)
		switch {
		case err == nil:
			return r.taken(w.Schedule.ProjectID, w.Schedule.Workflow, at)
		case !errors.Is(err, trowel.ErrNotFound):
			return err
		}
	}
	return nil
}

func (r *BackfillRequest) taken(project trowel.ProjectID, workflow string, at time.Time) error {
	return &trowel.Error{
		Kind:    trowel.ErrConflict,
		Message: fmt.Sprintf(backfillTaken, project, workflow, at.UTC().Format(time.RFC3339), r.Name),
		Hint:    "give the attempts another name",
	}
}

func (r *BackfillRequest) rehearse(plan *launch.Plan, sessions []time.Time) []*trowel.AttemptSummary {
	list := make([]*trowel.AttemptSummary, len(sessions))
	for i, at := range sessions {
		a := plan.Attempt(at, r.Name, nil, time.Time{})
		a.Attempt.Params, a.Attempt.CreatedAt = param.New(), r.Now
		list[i] = &trowel.AttemptSummary{Attempt: a.Attempt, Session: a.Context.Session, Project: a.Context.Project}
	}
	return list
}

// insert stores the attempts without tasks; each waits for the session before it.
func (r *BackfillRequest) insert(ctx context.Context, tx trowel.Tx, plan *launch.Plan, sessions []time.Time) ([]*trowel.AttemptSummary, error) {
	if len(sessions) == 0 {
		return nil, nil
	}
	project, workflow := plan.Definition.Project.ID, plan.Definition.Workflow.Name
	executed, err := tx.FindLastSession(ctx, project, workflow, sessions[0]) // language P15
	if err != nil {
		return nil, err
	}
	var list []*trowel.AttemptSummary
	var audits []trowel.AuditEntry
	var before trowel.SessionID
	batch := rand.Int64() //nolint:gosec // a random number to tell backfills apart; not a secret
	for _, at := range sessions {
		running, err := tx.CountRunningAttempts(ctx)
		if err != nil {
			return nil, err
		}
		if running >= r.Limit {
			return nil, engine.TooManyAttempts(r.Limit, running) // language S40a
		}
		a := plan.Attempt(at, r.Name, nil, executed)
		row, session := a.Attempt, a.Context.Session
		row.Cause, row.Actor, row.CreatedAt = launch.CauseBackfill, r.Actor, r.Now
		err = tx.InsertAttempt(ctx, &session, &row)
		if errors.Is(err, trowel.ErrTaken) {
			return nil, r.taken(project, workflow, at)
		}
		if err != nil {
			return nil, err
		}
		if err := tx.InsertQueuedBackfillAttempt(ctx, &trowel.QueuedBackfillAttempt{AttemptID: row.ID, DependsOn: before, NextRunAt: r.Now}); err != nil {
			return nil, err
		}
		audits = append(audits, trowel.AuditEntry{
			At: r.Now, AttemptID: row.ID, To: row.Flags.Status(), Cause: row.Cause, Actor: row.Actor, Batch: batch,
		})
		list = append(list, &trowel.AttemptSummary{Attempt: row, Session: session, Project: a.Context.Project})
		executed, before = at, session.ID
	}
	return list, tx.InsertAudits(ctx, audits)
}
