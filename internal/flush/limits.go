package flush

import (
	"context"
	"log/slog"
	"maps"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// known is what a flusher knows of pools and counters, to choose what is worth a transaction. Others
// change them as well: what counts is what a transaction finds.
type known struct {
	pools   []*trowel.Pool
	version int64 // of the pools; what transactions find counts
	uses    map[string]int
	stale   bool // to be read anew
	limited bool // a limit kept something from being chosen the last time
}

// recheck is how soon limits are read anew that keep something from running, in case nobody tells.
const recheck = time.Second

// LimitsChanged tells that pools have changed.
func (f *Flusher) LimitsChanged() { f.Heard(cluster.Attempts{Limits: true}) }

// readLimits reads pools and counters, if there is a reason to.
func (f *Flusher) readLimits(ctx context.Context) {
	if f.limitsChanged.Swap(false) {
		f.known.stale = true
	}
	if !f.known.stale || (f.known.pools != nil && !f.known.limited) {
		return
	}
	err := f.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
		if f.known.pools, err = tx.ListPools(ctx); err != nil {
			return err
		}
		f.known.version = -1 // a transaction looks anew
		f.known.uses, err = tx.ListUses(ctx)
		return err
	})
	if err != nil {
		f.opts.Log.WarnContext(ctx, "limits not read", slog.Any("error", err))
		return
	}
	f.known.stale = false
}

// expected are the limits as they will be once the reports of a batch have given back what their tasks
// hold.
func (f *Flusher) expected(batch []*event) *queue.Limits {
	uses := maps.Clone(f.known.uses)
	if uses == nil {
		uses = map[string]int{}
	}
	ended := map[trowel.AttemptID]int{}
	limits := &queue.Limits{
		Pools: f.known.pools, Uses: uses, AnyPool: f.opts.AnyPool, Most: f.opts.MaxRunning,
		Running: func(id trowel.AttemptID) int { return f.runningIn(id) - ended[id] },
	}
	for _, ev := range batch {
		report, ok := ev.what.(engine.Report)
		if !ok {
			continue
		}
		a := f.images.byID[ev.attempt]
		if a == nil || a.Image == nil {
			continue
		}
		if row := a.Find(report.TaskID); row != nil && row.State == trowel.TaskRunning {
			giveBack(limits, row.Holds, uses)
			ended[a.id]++
		}
	}
	return limits
}

// giveBack takes from counters what a task that runs no longer held.
func giveBack(limits *queue.Limits, holds trowel.Holds, uses map[string]int) {
	for name, n := range holds {
		uses[name] -= n
	}
	if pool := limits.Unkept(holds); pool != "" {
		uses[pool]--
	}
}

// runningIn is how many tasks of an attempt run, if its image is known.
func (f *Flusher) runningIn(id trowel.AttemptID) int {
	if a := f.images.byID[id]; a != nil && a.Image != nil {
		return a.Running()
	}
	return 0
}
