package flush

import (
	"context"
	"maps"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// knownLimits are the pools and counters that a flusher remembers, to choose what is worth a transaction.
// Other servers change them as well, so transactions check them again.
type knownLimits struct {
	pools    []*trowel.Pool
	version  int64 // of the pools; -1 if it is not known
	uses     map[string]int
	stale    bool // to be read again
	blocking bool // a limit blocked something when tasks were chosen last
}

// read reads them from the store.
func (k *knownLimits) read(ctx context.Context, tx trowel.Tx) (err error) {
	if k.pools, err = tx.ListPools(ctx); err != nil {
		return err
	}
	k.version = -1
	k.uses, err = tx.ListCounters(ctx)
	return err
}

// copyUses returns a copy of the counters.
func (k *knownLimits) copyUses() map[string]int {
	if k.uses == nil {
		return map[string]int{}
	}
	return maps.Clone(k.uses)
}

// lockPools makes sure that the pools do not change during a transaction. It reads them unless they are known. check
// has the lock say which versions may write.
func (k *knownLimits) lockPools(ctx context.Context, t *txn, check bool) error {
	t.counters.pools = k.pools
	if k.pools != nil && k.version >= 0 && !t.pessimistic && !check {
		return t.tx.CheckLimitsVersion(ctx, k.version)
	}
	version, writers, err := t.tx.ShareLimits(ctx)
	if err == nil {
		t.counters.outdated = writers.Check()
	}
	if err != nil || (k.pools != nil && k.version == version) {
		return err
	}
	t.counters.poolsVersion = version
	t.counters.pools, err = t.tx.ListPools(ctx)
	return err
}

// learn remembers what a committed transaction has read and changed.
func (k *knownLimits) learn(c *counters) {
	for name, used := range c.locked {
		if k.uses == nil {
			k.uses = map[string]int{}
		}
		if used != 0 {
			k.uses[name] = used
		} else { // do not remember unused counters, as there may be any number of them
			delete(k.uses, name)
		}
	}
	if c.poolsVersion != 0 {
		k.pools, k.version = c.pools, c.poolsVersion
	}
}

// giveBack subtracts what a task held that does not run any more.
func giveBack(limits *queue.Limits, holds trowel.Acquired) {
	for name, n := range holds {
		limits.Counters[name] -= n
	}
	if pool := limits.ImplicitCounter(holds); pool != "" {
		limits.Counters[pool]--
	}
}
