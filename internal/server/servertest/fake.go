package servertest

import (
	"context"
	"sync/atomic"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// Flusher counts the calls of ops.Limits.
type Flusher struct {
	LimitChanges atomic.Int32
	Admissions   atomic.Int32
}

// LimitsChanged implements ops.Limits.
func (f *Flusher) LimitsChanged() { f.LimitChanges.Add(1) }

// Admit implements ops.Limits.
func (f *Flusher) Admit(trowel.WorkflowName) { f.Admissions.Add(1) }

// inserter stores attempts without tasks. They never run.
type inserter struct{ store trowel.Store }

func (i inserter) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	a.Attempt.CreatedAt = time.Now()
	err := i.store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertAttempt(ctx, &a.Context.Session, &a.Attempt) })
	return &trowel.AttemptSummary{Attempt: a.Attempt, Session: a.Context.Session, Project: a.Context.Project}, err
}

// nobody is a v1.Killer that finds no running attempt.
type nobody struct{}

func (nobody) KillBy(context.Context, trowel.AttemptID, string, *trowel.AuditRecord) error {
	return trowel.ErrConflict
}

// Tokens finds the tokens of a store.
type Tokens struct{ Store trowel.Store }

// FindToken implements access.Tokens.
func (s Tokens) FindToken(ctx context.Context, hash []byte) (found *trowel.Token, project *trowel.Project, err error) {
	err = s.Store.View(ctx, func(tx trowel.Tx) error {
		if found, err = tx.FindToken(ctx, hash); err != nil || found.ProjectID == 0 {
			return err
		}
		project, err = tx.FindProjectByID(ctx, found.ProjectID)
		return err
	})
	return found, project, err
}
