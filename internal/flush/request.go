package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// maxBatch is how many requests one transaction takes at most.
const maxBatch = 2000

// request is something that a transaction is to do. There is one type, and one file, for each kind.
type request interface {
	// target is the attempt that is locked for the request; zero for none.
	target() trowel.AttemptID
	// apply does what is asked for. A transaction may be tried again, so it may be called more than once.
	// What is wrong with the request itself is kept for resolve; an error of the store is returned.
	apply(ctx context.Context, t *txn) error

	// enter is called before the request goes into a transaction. It reports whether it still should.
	enter() bool
	// leave is called when the transaction certainly did not happen.
	leave()
	// resolve is called once, when the request is done with: with nil after the commit, else with what kept
	// it from being written.
	resolve(err error)
}

// unanswered is the part of a request that nobody waits for.
type unanswered struct{}

func (unanswered) enter() bool   { return true }
func (unanswered) leave()        {}
func (unanswered) resolve(error) {}

// actorEngine is named in the audit where nobody asked for a change.
const actorEngine = "engine"
