package usage

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// What is remembered, and for how long.
const (
	// Write is how often hand-offs are stored, if there were any.
	Write = 10 * time.Second
	// Sample is how often the pools are sampled, by one server or many.
	Sample = 30 * time.Second
	// Lately is the period that the figures of queues cover.
	Lately = 5 * time.Minute
	// Kept is how long the use of pools is kept.
	Kept = 24 * time.Hour
)

// Options are what a Recorder works with; all are required.
type Options struct {
	Store trowel.Store
	Now   func() time.Time
	Log   *slog.Logger
}

// Recorder records the usage of pools and queues on one server. It is safe for concurrent use.
type Recorder struct {
	opts Options

	mu     sync.Mutex
	queues map[string]*trowel.HandOffs
}

// New returns a Recorder; Run makes it work.
func New(opts Options) *Recorder {
	return &Recorder{opts: opts, queues: map[string]*trowel.HandOffs{}}
}

// HandedOut counts a task that had been ready for that long when it went to an agent.
func (r *Recorder) HandedOut(queue string, ready time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.queues[queue]
	if h == nil {
		h = &trowel.HandOffs{Queue: queue}
		r.queues[queue] = h
	}
	h.Add(ready)
}

// Run writes and samples until ctx ends. While the database is away, hand-offs are kept.
func (r *Recorder) Run(ctx context.Context) error {
	tick := time.NewTicker(Write)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
		err := r.WriteHandOffs(ctx)
		if err == nil {
			err = r.SamplePools(ctx)
		}
		if err != nil && !failing && ctx.Err() == nil {
			r.opts.Log.WarnContext(ctx, "load of pools and queues not stored", slog.Any("error", err))
		}
		failing = err != nil
	}
}

// WriteHandOffs stores what was counted since the last time.
func (r *Recorder) WriteHandOffs(ctx context.Context) error {
	r.mu.Lock()
	taken := r.queues
	r.queues = map[string]*trowel.HandOffs{}
	r.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	now := r.opts.Now()
	list := make([]trowel.HandOffs, 0, len(taken))
	for _, queue := range slices.Sorted(maps.Keys(taken)) {
		taken[queue].At = now
		list = append(list, *taken[queue])
	}
	err := r.opts.Store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertHandOffs(ctx, list) })
	if err != nil {
		r.giveBack(taken)
	}
	return err
}

// giveBack keeps what could not be stored, for the next time.
func (r *Recorder) giveBack(taken map[string]*trowel.HandOffs) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for queue, h := range taken {
		if newer := r.queues[queue]; newer != nil {
			h.Merge(newer)
		}
		r.queues[queue] = h
	}
}

// SamplePools samples the pools, unless some server has just done so, and deletes old samples.
func (r *Recorder) SamplePools(ctx context.Context) error {
	now := r.opts.Now()
	const apart = Sample - Write/2 // a server does not sample at exact intervals
	var uses []trowel.PoolUsage
	var last time.Time
	err := r.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
		if last, err = tx.FindPoolSample(ctx); err == nil && now.Sub(last) >= apart {
			uses, err = count(ctx, tx)
		}
		return err
	})
	if err != nil || now.Sub(last) < apart {
		return err
	}
	return r.opts.Store.Update(ctx, func(tx trowel.Tx) error {
		added, err := tx.AddPoolUsage(ctx, now, apart, uses)
		if err != nil || !added {
			return err
		}
		return tx.DeleteUsage(ctx, now.Add(-Kept-trowel.UsageStep), now.Add(-2*Lately))
	})
}

// pools are pools by their names.
type pools map[poolName]*trowel.PoolUsage

type poolName struct {
	project trowel.ProjectID
	name    string
}

// count returns the used and wanted slots of each pool, without idle pools.
func count(ctx context.Context, tx trowel.Tx) ([]trowel.PoolUsage, error) {
	list, err := tx.ListPools(ctx)
	if err != nil {
		return nil, err
	}
	used, err := tx.ListCounters(ctx)
	if err != nil {
		return nil, err
	}
	live, err := tx.CountLive(ctx)
	if err != nil {
		return nil, err
	}
	found := make(pools, len(list))
	for _, p := range list {
		found[poolName{p.ProjectID, p.Name}] = &trowel.PoolUsage{Pool: p.ID, Slots: p.Slots, Used: used[p.Counter()]}
	}
	for i := range live {
		found.count(&live[i])
	}
	var uses []trowel.PoolUsage
	for _, u := range found {
		if u.Used != 0 || u.Waiting != 0 {
			uses = append(uses, *u)
		}
	}
	return uses, nil
}

// count adds live tasks: those that are ready, and those that run in the default pool of the site while it is unlimited
// and so has no counter.
func (p pools) count(live *trowel.LiveCount) {
	for _, need := range live.Requirements.PoolRequirements() {
		name := poolName{live.ProjectID, need.Name}
		u := p[name]
		if u == nil {
			name.project = 0
			u = p[name]
		}
		switch {
		case u == nil:
		case live.State == trowel.TaskReady:
			u.Waiting += live.Count
		case name == poolName{0, trowel.DefaultPool} && u.Slots == trowel.Unlimited:
			u.Used += need.Slots * live.Count
		}
	}
}
