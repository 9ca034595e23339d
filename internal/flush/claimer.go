package flush

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// recheck is how often limits that block tasks are read again, in case a message about a change was lost.
const recheck = time.Second

// claimer gives ready tasks to agents. It chooses them before a transaction, by the limits as it knows them,
// and claims them in the transaction, by limits that are locked.
type claimer struct {
	store   trowel.Store
	log     *slog.Logger
	now     func() time.Time
	cache   *cache
	backlog *queue.Backlog
	agents  *agents

	maxRunning int  // how many tasks may run on the site (control K814); zero for any number
	anyPool    bool // pools that do not exist are without limit

	outdated func(err error) // told when this build may claim nothing more; may be nil

	known         knownLimits
	limitsChanged atomic.Bool // pools or counters may have changed

	// listed and seen are the memory of candidates, which lives for one transaction.
	listed []queue.Ready
	seen   map[trowel.TaskID]bool
}

// choose looks for what to claim together with a batch of requests.
func (c *claimer) choose(ctx context.Context, batch []request, slots []queue.Slot) selection {
	s := selection{slots: slots}
	if len(s.slots) == 0 {
		c.backlog.NoteAllBusy(c.now())
	}
	if len(s.slots) == 0 || c.backlog.Len() == 0 {
		return s
	}
	c.pickKnown(ctx, batch, &s)
	if c.known.blocking && c.known.stale { // only limits that block something are read again
		c.pickKnown(ctx, batch, &s)
	}
	return s
}

// pickKnown looks for what to claim by the known limits.
func (c *claimer) pickKnown(ctx context.Context, batch []request, s *selection) {
	c.readLimits(ctx)
	picking := queue.Picking{Slots: slices.Clone(s.slots), Limits: c.expected(batch), Now: c.now(), Agents: c.agents.all()}
	s.picks, s.full, c.known.blocking = c.backlog.Pick(picking)
}

// readLimits reads pools and counters, if there is a reason to.
func (c *claimer) readLimits(ctx context.Context) {
	if c.limitsChanged.Swap(false) {
		c.known.stale = true
	}
	if !c.known.stale || (c.known.pools != nil && !c.known.blocking) {
		return
	}
	if err := c.store.View(ctx, func(tx trowel.Tx) error { return c.known.read(ctx, tx) }); err != nil {
		c.log.WarnContext(ctx, "limits not read", slog.Any("error", err))
		return
	}
	c.known.stale = false
}

// expected returns the limits as they will be after the reports of a batch, whose tasks give back what they
// hold.
func (c *claimer) expected(batch []request) *queue.Limits {
	limits := c.limits(c.known.pools, c.known.copyUses())
	returned := map[trowel.AttemptID]int{}
	limits.Running = func(id trowel.AttemptID) int { return c.cache.runningTasks(id) - returned[id] }
	for _, r := range batch {
		report, ok := r.(*reportRequest)
		if !ok {
			continue
		}
		a := c.cache.get(report.target())
		if a == nil || a.tree == nil {
			continue
		}
		if row := a.tree.Find(report.report.TaskID); row != nil && row.State == trowel.TaskRunning {
			giveBack(limits, row.Acquired)
			returned[a.id]++
		}
	}
	return limits
}

// limits combines pools and counters with the settings of the site.
func (c *claimer) limits(pools []*trowel.Pool, uses map[string]int) *queue.Limits {
	return &queue.Limits{Pools: pools, Counters: uses, AnyPool: c.anyPool, MaxRunning: c.maxRunning, Running: c.cache.runningTasks}
}

// stop ends all claims of a build that may not write any more.
func (c *claimer) stop(why error) {
	c.agents.stopped.Store(true)
	if c.outdated != nil {
		c.outdated(why)
	}
}

// recheckBlocking reports whether limits block something. If so, they are read again the next time.
func (c *claimer) recheckBlocking() bool {
	if c.known.blocking {
		c.known.stale = true
	}
	return c.known.blocking
}
