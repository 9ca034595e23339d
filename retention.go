package trowel

import (
	"context"
	"time"
)

// DeletedAttempts is what DeleteAttempts has deleted.
type DeletedAttempts struct {
	Attempts int // how many attempts
	Sessions int // how many sessions that were left without an attempt
}

// OldRevision is a revision that nothing refers to.
type OldRevision struct {
	ID        RevisionID // the revision
	ProjectID ProjectID  // its project
}

// RetentionTx is the part of a transaction that deletes old rows. An attempt is old if it ended
// before an instant.
//
// The last attempt of a session is deleted together with the session, once all its other attempts are old as well.
// So the attempts of a session keep their numbers. The newest session of a workflow that is not deleted stays,
// and so does a session that a backfill waits for.
type RetentionTx interface {
	// ListOldAttempts looks at up to limit attempts with ids larger than after. It returns those that
	// may be deleted, and the largest id that it looked at: zero if there are no more.
	ListOldAttempts(ctx context.Context, before time.Time, after AttemptID, limit int) (old []AttemptID, last AttemptID, err error)
	// DeleteAttempts deletes those of the attempts that are still old, with all that belongs to them. If the last
	// attempt of a session is among them, the earlier ones must be as well, or be deleted already. Else there
	// is an ErrConflict.
	DeleteAttempts(ctx context.Context, before time.Time, ids []AttemptID) (DeletedAttempts, error)
	// CountDecisions returns how many decisions about schedules were made before an instant.
	CountDecisions(ctx context.Context, before time.Time) (int, error)
	// DeleteDecisions deletes, among the limit oldest decisions, those that were made before an instant, and
	// returns their number.
	DeleteDecisions(ctx context.Context, before time.Time, limit int) (int, error)
	// ListOldRevisions returns up to limit revisions with ids larger than after, in the order of their ids: those
	// that were stored before an instant, are not the newest of their project, and have neither attempts nor
	// schedules.
	ListOldRevisions(ctx context.Context, before time.Time, after RevisionID, limit int) ([]OldRevision, error)
	// DeleteRevisions deletes those revisions of a project that ListOldRevisions still returns, with
	// their workflows. It returns how many it deleted, and the archives that no revision uses any more.
	DeleteRevisions(ctx context.Context, before time.Time, project ProjectID, ids []RevisionID) (int, []Archive, error)
	// CountParamValues returns how many values were set before an instant. DeleteParamValues deletes them.
	CountParamValues(ctx context.Context, before time.Time) (int, error)
}
