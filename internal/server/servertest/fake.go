package servertest

import (
	"context"
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
)

// Flusher counts the calls of ops.Limits.
type Flusher struct {
	LimitChanges atomic.Int32 // calls of LimitsChanged
	Admissions   atomic.Int32 // calls of Admit
}

// LimitsChanged implements ops.Limits.
func (f *Flusher) LimitsChanged() { f.LimitChanges.Add(1) }

// Admit implements ops.Limits.
func (f *Flusher) Admit(trowel.WorkflowName) { f.Admissions.Add(1) }

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
