package flush

import (
	"cmp"
	"context"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// Start is a request to begin an attempt. If its Attempt has an id, it is stored already, without
// tasks, as it had to wait for its turn in a backfill (language S40).
type Start = engine.NewAttempt

// Started is an attempt that has begun.
type Started struct {
	Attempt trowel.Attempt
	Session trowel.Session
	// Ended gets the attempt once it is done. It is closed without a value if the flusher ends first.
	Ended chan trowel.Attempt
}

// startRequest begins an attempt.
type startRequest struct {
	reply

	start   Start
	started *Started // filled in by apply
	starter *starter
}

func newStart(s Start, by *starter) *startRequest {
	r := &startRequest{start: s, started: &Started{Ended: make(chan trowel.Attempt, 1)}, starter: by}
	r.begin(s.Attempt.ID, s.Attempt.Actor)
	return r
}

// keptError is the ErrLimit of an attempt that was kept although it is too large.
type keptError struct{ error }

// target is zero for a new attempt, which gets its id in the transaction.
func (r *startRequest) target() trowel.AttemptID { return r.start.Attempt.ID }

func (r *startRequest) apply(ctx context.Context, t *txn) error { return r.starter.start(ctx, t, r) }

func (r *startRequest) ofWorkflow() (trowel.WorkflowName, bool) {
	return nameOf(&r.start.Context), r.starter.workflows.of(&r.start.Context.Workflow).ActiveAttempts > 0
}

// startsLast returns a batch with the requests that insert attempts at the end, in the order of their
// sessions. Servers that start the same sessions at the same time, as schedules do, lock in this order, so
// that they cannot wait for each other in a circle.
func startsLast(batch []request) []request {
	sorted := slices.Clone(batch)
	slices.SortStableFunc(sorted, func(a, b request) int {
		first, isStart := a.(*startRequest)
		second, alsoStart := b.(*startRequest)
		switch {
		case !isStart && !alsoStart:
			return 0
		case !isStart:
			return -1
		case !alsoStart:
			return 1
		}
		s, o := &first.start.Context.Session, &second.start.Context.Session
		return cmp.Or(cmp.Compare(s.ProjectID, o.ProjectID), cmp.Compare(s.Workflow, o.Workflow), s.Time.Compare(o.Time))
	})
	return sorted
}

// newTasks returns how many tasks the new attempts of a batch have.
func newTasks(batch []request) (n int) {
	for _, r := range batch {
		if start, ok := r.(*startRequest); ok {
			n += len(start.start.Tasks)
		}
	}
	return n
}
