package flush

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// maxBatch is how many requests one transaction takes at most.
const maxBatch = 2000

// request is something to be done in a transaction. Each kind is a type of its own.
type request interface {
	// target returns the attempt that must be locked for the request; zero for none.
	target() trowel.AttemptID
	// apply does what is requested. It may be called more than once, as a transaction may be tried again. It
	// returns errors of the store; an error in the request itself it keeps for resolve.
	apply(ctx context.Context, t *txn) error
	// refuse is called in place of apply if nothing may be done about the attempt. It keeps the error for resolve.
	refuse(err error)

	// enter is called before the request goes into a transaction. It returns false if the request was
	// withdrawn.
	enter() bool
	// leave is called when the transaction was certainly not committed.
	leave()
	// resolve is called once: with nil after the commit, or with the error because of which the request was not
	// written.
	resolve(err error)
}

// unanswered is embedded in requests whose senders do not wait for an answer.
type unanswered struct{}

func (unanswered) refuse(error)  {}
func (unanswered) enter() bool   { return true }
func (unanswered) leave()        {}
func (unanswered) resolve(error) {}

// actorEngine is the actor of changes that nobody asked for.
const actorEngine = "engine"
