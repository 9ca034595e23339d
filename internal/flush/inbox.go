package flush

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/wait"
)

// inbox queues the requests for the next transactions. It is safe for concurrent use.
type inbox struct {
	wake wait.Signal // something is pending, or an agent has room

	// failing is the last error of a database that does not answer; nil if it works.
	failing atomic.Pointer[error]

	mu      sync.Mutex
	pending []request
	closed  error // the error for further requests; nil while Run runs
}

// submit adds a request.
func (in *inbox) submit(r request) {
	in.mu.Lock()
	closed := in.closed
	if closed == nil {
		in.pending = append(in.pending, r)
	}
	in.mu.Unlock()
	if closed != nil {
		r.resolve(closed)
		return
	}
	in.wake.Set()
}

// take returns the requests of the next transaction, and whether there are more.
func (in *inbox) take() (batch []request, more bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := min(len(in.pending), maxBatch)
	batch = in.pending[:n:n]
	in.pending = in.pending[n:]
	return batch, len(in.pending) > 0
}

// close resolves all requests with an error, and so it will all later ones.
func (in *inbox) close(cause error) {
	if cause == nil {
		cause = trowel.ErrCanceled
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = errors.Join(trowel.ErrUnavailable, cause)
	for _, r := range in.pending {
		r.resolve(in.closed)
	}
	in.pending = nil
}

// answered is a request whose caller waits for it.
type answered interface {
	request
	answer() *reply
}

// do submits a request and waits until it is written. If ctx ends before, the request is withdrawn. If it is
// in a transaction already, it may still be written, and the error says so.
func (in *inbox) do(ctx context.Context, r answered) error {
	in.submit(r)
	reply := r.answer()
	select {
	case err := <-reply.done:
		return err
	case <-ctx.Done():
	}
	if reply.withdraw() {
		return &trowel.Error{
			Kind: trowel.ErrUnavailable, Message: in.whyLate() + "; nothing was changed",
			Hint: "try again later", Err: context.Cause(ctx),
		}
	}
	select {
	case err := <-reply.done:
		return err
	default:
	}
	return &trowel.Error{
		Kind: trowel.ErrUnavailable, Message: in.whyLate() + "; it is not known whether the change was made",
		Hint: "look whether it was made before you try again", Err: context.Cause(ctx),
	}
}

// whyLate says why a request was not written in time, as far as that is known.
func (in *inbox) whyLate() string {
	if reason := in.failing.Load(); reason != nil {
		return "the database could not write it: " + (*reason).Error()
	}
	return "the database did not answer in time"
}
