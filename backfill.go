package trowel

import (
	"context"
	"time"
)

// QueuedBackfillAttempt is an attempt of a backfill that waits for the session before it (language S40).
type QueuedBackfillAttempt struct {
	AttemptID AttemptID // the attempt that waits
	DependsOn SessionID // the session whose attempts must have ended first; zero for the first of the backfill
	NextRunAt time.Time // the attempt does not begin before this instant
}

// BackfillTx is the part of a transaction about attempts of backfills that wait for their turn.
type BackfillTx interface {
	// InsertQueuedBackfillAttempt stores what an attempt waits for, or replaces it.
	InsertQueuedBackfillAttempt(ctx context.Context, d *QueuedBackfillAttempt) error
	// FindQueuedBackfillAttempt returns what an attempt waits for. It is an ErrNotFound if the attempt does not wait.
	FindQueuedBackfillAttempt(ctx context.Context, id AttemptID) (*QueuedBackfillAttempt, error)
	// DeleteQueuedBackfillAttempt deletes what an attempt waited for. It is no error if there is nothing.
	DeleteQueuedBackfillAttempt(ctx context.Context, id AttemptID) error
	// ListDueBackfillAttempts returns up to limit waiting attempts whose NextRunAt is not later than now and
	// whose DependsOn has no unfinished attempt, in the order of their ids.
	ListDueBackfillAttempts(ctx context.Context, now time.Time, limit int) ([]QueuedBackfillAttempt, error)
}
