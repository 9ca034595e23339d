package flush

import (
	"context"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// countFor is how long the number of running attempts is taken from memory. Attempts of other servers
// are not in it, so for that long some more may run than the limit says.
const countFor = time.Second

// counter is the number of running attempts: that of the store, with what this flusher has begun and
// ended since. To count 100,000 of them in the store takes milliseconds.
type counter struct {
	n  int
	at time.Time // of the count; zero if there is none
}

// running returns how many attempts run. It counts anew after a while, and before it says that there
// is no room, but once in a transaction.
func (c *counter) running(ctx context.Context, tx trowel.Tx, w *write, limit int) (int, error) {
	fresh := !c.at.IsZero() && w.at.Sub(c.at) < countFor
	if w.counted || (fresh && c.n < limit) {
		return c.n, nil
	}
	n, err := tx.CountRunningAttempts(ctx)
	if err != nil {
		return 0, err
	}
	w.counted = true
	c.n, c.at = n-len(w.batch.Ended), w.at // what has ended in this transaction is not written yet
	return c.n, nil
}

// forget is for when nobody knows whether what was counted happened.
func (c *counter) forget() { *c = counter{} }
