package trowtest

import (
	"context"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// Inserter stands for a flusher where attempts need not run: it stores them, without tasks.
type Inserter struct {
	Store trowel.Store
	Now   func() time.Time // when attempts are created

	mu   sync.Mutex
	last engine.NewAttempt
}

// Begin implements launch.Flusher.
func (i *Inserter) Begin(ctx context.Context, a engine.NewAttempt) (*trowel.AttemptSummary, error) {
	i.mu.Lock()
	i.last = a
	i.mu.Unlock()
	row, session := a.Attempt, a.Context.Session
	row.CreatedAt = i.Now()
	err := i.Store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertAttempt(ctx, &session, &row) })
	if err != nil {
		return nil, err
	}
	return &trowel.AttemptSummary{Attempt: row, Session: session, Project: a.Context.Project}, nil
}

// Last returns the attempt that it was asked for last.
func (i *Inserter) Last() engine.NewAttempt {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.last
}
