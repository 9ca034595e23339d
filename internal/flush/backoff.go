package flush

import (
	"context"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/wait"
)

const (
	// maxTries is how often a transaction is tried if it fails for a reason that may pass. With
	// RetryForever there is no limit while the store is away.
	maxTries = 8
	// maxBackOff is the longest time between two tries.
	maxBackOff = time.Second
)

// backOff waits before the next try, longer each time. It reports false if ctx ends meanwhile.
func backOff(ctx context.Context, try int) bool {
	return wait.Sleep(ctx, min(time.Duration(try*try)*time.Millisecond, maxBackOff)) == nil
}

// storeWorks reports whether the store takes anything at all.
func storeWorks(ctx context.Context, store trowel.Store) bool {
	return store.Update(ctx, func(tx trowel.Tx) error {
		_, err := tx.ReserveTaskIDs(ctx, 1)
		return err
	}) == nil
}
