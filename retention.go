package trowel

import (
	"context"
	"time"
)

// DeletedAttempts is what DeleteAttempts has deleted.
type DeletedAttempts struct {
	Attempts int
	Sessions int // those that have no attempt any more
}

// OldRevision is a revision that nothing refers to.
type OldRevision struct {
	ID        RevisionID
	ProjectID ProjectID
}

// RetentionTx is the part of a transaction that deletes what is old. An attempt is old if it ended
// before an instant. The last attempt of a session goes with its session, when all others are old, too,
// so that attempts of a session keep their numbers. The newest session of a workflow that is not deleted
// stays, as does one that a backfill waits for.
type RetentionTx interface {
	// ListOldAttempts looks at up to limit attempts with ids larger than after, and returns those that
	// may be deleted, and the largest id that it looked at: zero if there is nothing more to find.
	ListOldAttempts(ctx context.Context, before time.Time, after AttemptID, limit int) (old []AttemptID, last AttemptID, err error)
	// DeleteAttempts deletes those of the attempts that are still old, with all that belongs to them. Of
	// a session the earlier attempts must be there, too, or be deleted.
	DeleteAttempts(ctx context.Context, before time.Time, ids []AttemptID) (DeletedAttempts, error)
	// CountDecisions returns how many decisions about schedules were made before an instant, and
	// DeleteDecisions deletes those among the oldest limit ones.
	CountDecisions(ctx context.Context, before time.Time) (int, error)
	DeleteDecisions(ctx context.Context, before time.Time, limit int) (int, error)
	// ListOldRevisions returns up to limit revisions that were stored before an instant, in the order of
	// their ids from after on, which are not the newest of their project and have neither attempts nor
	// schedules.
	ListOldRevisions(ctx context.Context, before time.Time, after RevisionID, limit int) ([]OldRevision, error)
	// DeleteRevisions deletes those of the revisions of a project that ListOldRevisions still has, with
	// their workflows, and returns how many it were and the archives that no revision has any more.
	DeleteRevisions(ctx context.Context, before time.Time, project ProjectID, ids []RevisionID) (int, []Archive, error)
	// CountParamValues returns how many values were written before an instant; see DeleteParamValues.
	CountParamValues(ctx context.Context, before time.Time) (int, error)
}
