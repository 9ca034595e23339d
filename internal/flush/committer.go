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

// committer writes each batch of requests in one transaction. It tries again if that fails for a reason that
// may pass.
type committer struct {
	store trowel.Store
	log   *slog.Logger
	now   func() time.Time
	// notify tells other servers about a transaction, as part of it; nil if there are none.
	notify func(ctx context.Context, tx trowel.Tx, n cluster.Attempts) error
	// retryForever is set if the committer waits for a store that is away, however long.
	retryForever bool

	parts     txnParts
	inbox     *inbox
	loader    *loader
	admission *admission
	claimer   *claimer
	publisher *publisher

	stopped bool // by an observer
}

// flush applies a batch of requests, claims what agents have room for, writes it all and publishes it. It
// returns an error if the flusher must end.
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

// commit tries until the batch is written, and then publishes it. If it returns an error, the caller must
// resolve the requests. If the answer to a commit was lost, the transaction may have been committed: the
// next one checks that first.
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
		atOnce := try == 1 && errors.Is(err, trowel.ErrConflict) // another server was faster, which is nothing to wait for
		if again && last == nil && atOnce {
			continue
		}
		if again && backOff(ctx, try) {
			c.warn(ctx, try, err)
			continue
		}
		if last != nil {
			c.evict(last)
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
	c.parts.spare.take(&t.changes)
	return err
}

// tryAgain reports whether a failed transaction may succeed later. last is the one whose outcome is unknown
// and must be found out; nil if there is none.
func (c *committer) tryAgain(err error, try int, last *txn) bool {
	unknown := last != nil && last.state != txnEvicted
	if c.retryForever && (unknown || errors.Is(err, trowel.ErrUnavailable)) {
		return true
	}
	passing := unknown || errors.Is(err, trowel.ErrUnavailable) || errors.Is(err, trowel.ErrConflict)
	return passing && try < maxTries
}

// warn logs that a transaction is tried again: the first times, and then once a minute.
func (c *committer) warn(ctx context.Context, try int, err error) {
	if try <= maxTries || try%60 == 0 {
		c.log.WarnContext(ctx, "transaction tried again", slog.Int("try", try), slog.Any("error", err))
	}
}
