package flush

import (
	"context"
	"time"
)

// countFor is how long the counted number of running attempts is used. It misses attempts that other servers
// have begun meanwhile, so a few more than the limit may run.
const countFor = time.Second

// attemptCount is the number of running attempts: that of the store, plus what this flusher has begun
// and minus what it has ended since. Counting 100,000 of them in the store takes milliseconds.
type attemptCount struct {
	n  int
	at time.Time // of the count; zero if there is none
}

// running returns how many attempts run. It counts again after a while, and before it reports that the
// limit is reached, but at most once in a transaction.
func (c *attemptCount) running(ctx context.Context, t *txn, limit int) (int, error) {
	fresh := !c.at.IsZero() && t.at.Sub(c.at) < countFor
	if t.admissions.recounted || (fresh && c.n < limit) {
		return c.n, nil
	}
	n, err := t.tx.CountRunningAttempts(ctx)
	if err != nil {
		return 0, err
	}
	t.admissions.recounted = true
	c.n, c.at = n-len(t.changes.batch.Ended), t.at // what has ended in this transaction is not written yet
	return c.n, nil
}

func (c *attemptCount) began() { c.n++ }

func (c *attemptCount) ended() { c.n-- }

// reset is called when a transaction was not committed, or its outcome is unknown.
func (c *attemptCount) reset() { *c = attemptCount{} }
