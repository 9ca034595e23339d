package flush

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
)

// committer writes batches of requests, each in one transaction, and tries again what fails for a passing
// reason.
type committer struct {
	store trowel.Store
	log   *slog.Logger
	now   func() time.Time
	// notify tells other servers of a transaction, with its commit; nil if there are none.
	notify func(ctx context.Context, tx trowel.Tx, n cluster.Attempts) error
	// retryForever is set if the committer outlives a store that is away.
	retryForever bool

	parts     txnParts
	inbox     *inbox
	loader    *loader
	admission *admission
	claimer   *claimer
	publisher *publisher

	stopped bool // by an observer
}

// flush writes what follows from a batch of requests, claims what agents have room for, and tells
// everybody. It returns an error if the flusher is to end.
func (c *committer) flush(ctx context.Context, batch []request, chosen selection) error {
	err := c.commit(ctx, batch, chosen)
	if err == nil {
		return nil // the publisher has answered
	}
	if c.ends(ctx) {
		answer := err
		if ctx.Err() != nil {
			answer = errors.Join(trowel.ErrUnavailable, err)
		}
		resolveAll(batch, answer)
		return err
	}
	return c.isolate(ctx, batch, chosen, err)
}

// ends reports whether an error ends the flusher.
func (c *committer) ends(ctx context.Context) bool {
	return !c.retryForever || c.stopped || ctx.Err() != nil
}

func resolveAll(batch []request, err error) {
	for _, r := range batch {
		r.resolve(err)
	}
}

// commit tries to write a batch until it is written, and publishes it then. Those who wait for an error it
// leaves to its caller. A transaction that fails may have been committed, if only the answer was lost: the
// next one looks for that first.
func (c *committer) commit(ctx context.Context, batch []request, chosen selection) error {
	var last *txn // while its outcome is unknown
	batch = slices.Clone(batch)
	for try := 1; ; try++ {
		if last == nil {
			batch = slices.DeleteFunc(batch, func(r request) bool { return !r.enter() })
		}
		var err error
		var committed bool
		last, committed, err = c.transact(ctx, batch, chosen, last, try > 1)
		if committed {
			c.inbox.failing.Store(nil)
			return c.publish(ctx, last, batch)
		}
		if errors.Is(err, trowel.ErrUnavailable) {
			reason := err
			c.inbox.failing.Store(&reason)
		}
		again := c.tryAgain(err, try, last)
		if last == nil || !again {
			for _, r := range batch {
				r.leave()
			}
		}
		atOnce := try == 1 && errors.Is(err, trowel.ErrConflict) // with another server, which is nothing to wait for
		if again && last == nil && atOnce {
			continue
		}
		if again && backOff(ctx, try) {
			c.warn(ctx, try, err)
			continue
		}
		if last != nil {
			c.undo(last)
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
}

func (c *committer) publish(ctx context.Context, t *txn, batch []request) error {
	err := c.publisher.publish(ctx, t, batch)
	c.stopped = c.stopped || err != nil
	return err
}

// tryAgain reports whether a transaction that failed may succeed later. last is the last one whose outcome
// was unknown, which is to be found out; nil if there is none.
func (c *committer) tryAgain(err error, try int, last *txn) bool {
	unknown := last != nil && last.state != txnUndone
	if c.retryForever && (unknown || errors.Is(err, trowel.ErrUnavailable)) {
		return true
	}
	passing := unknown || errors.Is(err, trowel.ErrUnavailable) || errors.Is(err, trowel.ErrConflict)
	return passing && try < maxTries
}

// warn says in the log that a transaction is tried again: the first times, and then once a minute.
func (c *committer) warn(ctx context.Context, try int, err error) {
	if try <= maxTries || try%60 == 0 {
		c.log.WarnContext(ctx, "transaction tried again", slog.Int("try", try), slog.Any("error", err))
	}
}
