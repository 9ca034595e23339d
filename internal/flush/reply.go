package flush

import (
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
)

// reply is embedded in requests whose callers wait for an answer.
type reply struct {
	// attempt and actor are for the log, if the change is made after the caller has left.
	attempt trowel.AttemptID
	actor   string

	done  chan error // gets the answer
	err   error      // what is wrong with the request; set by apply
	stage atomic.Uint32
	// abandoned is set if the caller leaves while the request is in a transaction.
	abandoned atomic.Bool
}

// Stages of a request whose caller waits.
const (
	waiting  = iota // for a transaction
	flushing        // in a transaction, or in one whose outcome is unknown
	left            // the caller left while the request was waiting: it will not be written
)

// begin sets up the reply. An empty actor is the engine.
func (r *reply) begin(attempt trowel.AttemptID, actor string) {
	if actor == "" {
		actor = actorEngine
	}
	r.attempt, r.actor, r.done = attempt, actor, make(chan error, 1)
}

// answer returns the reply of a request.
func (r *reply) answer() *reply { return r }

func (r *reply) refuse(err error) { r.err = err }

func (r *reply) enter() bool { return r.stage.CompareAndSwap(waiting, flushing) }

func (r *reply) leave() { r.stage.CompareAndSwap(flushing, waiting) }

func (r *reply) resolve(err error) {
	if err == nil {
		err = r.err
	}
	r.done <- err
}

// withdraw is called when the caller leaves. It reports whether the request will not be written, as it was not
// in a transaction.
func (r *reply) withdraw() bool {
	if r.stage.CompareAndSwap(waiting, left) {
		return true
	}
	r.abandoned.Store(true)
	return false
}

// madeUnseen reports whether the change was made after the caller had left.
func (r *reply) madeUnseen() bool { return r.err == nil && r.abandoned.Load() }
