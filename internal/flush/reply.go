package flush

import (
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
)

// reply is the part of a request that its caller waits for.
type reply struct {
	// attempt and actor say what was changed, and for whom, if the caller leaves before it hears of it.
	attempt trowel.AttemptID
	actor   string

	done  chan error // gets the answer
	err   error      // what is wrong with the request; set by apply
	stage atomic.Uint32
	// abandoned is set when the caller leaves while the request is in a transaction.
	abandoned atomic.Bool
}

// Stages of a request that somebody waits for.
const (
	waiting  = iota // for a transaction
	flushing        // in a transaction, or in one whose outcome is unknown
	left            // its caller left while it was waiting, so it will not be written
)

// begin readies a reply for its answer. An empty actor is the engine.
func (r *reply) begin(attempt trowel.AttemptID, actor string) {
	if actor == "" {
		actor = actorEngine
	}
	r.attempt, r.actor, r.done = attempt, actor, make(chan error, 1)
}

// answer returns the reply itself, for who has only a request.
func (r *reply) answer() *reply { return r }

func (r *reply) enter() bool { return r.stage.CompareAndSwap(waiting, flushing) }

func (r *reply) leave() { r.stage.CompareAndSwap(flushing, waiting) }

func (r *reply) resolve(err error) {
	if err == nil {
		err = r.err
	}
	r.done <- err
}

// withdraw is called when the caller leaves. It reports whether the request was not in a transaction, and
// so will not be written.
func (r *reply) withdraw() bool {
	if r.stage.CompareAndSwap(waiting, left) {
		return true
	}
	r.abandoned.Store(true)
	return false
}

// madeUnseen reports whether the change was made after the caller had left.
func (r *reply) madeUnseen() bool { return r.err == nil && r.abandoned.Load() }
