package flush

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// counters collects what a transaction changes in the counters of limits.
type counters struct {
	added    map[string]int // what is added to each counter; negative if it is given back
	locked   map[string]int // the values of the locked counters after the transaction
	returned int            // how many changes of the batch were passed to addReturned

	pools        []*trowel.Pool // as the transaction sees them
	poolsVersion int64          // zero if it did not read them
	outdated     error          // why this build claims nothing any more, see trowel.Writers
}

// addReturned subtracts what changes give back. It is called again when more changes have been appended; it
// then updates the locked limits, too.
func (c *counters) addReturned(changes []engine.Change, limits *queue.Limits) {
	give := func(name string, n int) {
		if n == 0 {
			return
		}
		c.added[name] -= n
		if limits.Counters != nil {
			limits.Counters[name] -= n
		}
	}
	for i := c.returned; i < len(changes); i++ {
		change := &changes[i]
		for name, n := range change.Given {
			give(name, n)
		}
		if change.Freed {
			if pool := limits.ImplicitCounter(change.Given); pool != "" {
				give(pool, 1)
			}
		}
	}
	c.returned = len(changes)
}

// take adds what a claimed task needs.
func (c *counters) take(demands []queue.Demand) {
	for _, d := range demands {
		c.added[d.Counter] += d.Amount
	}
}

// givesBack reports whether something is given back to a limit.
func (c *counters) givesBack() bool {
	for _, change := range c.added {
		if change < 0 {
			return true
		}
	}
	return false
}
