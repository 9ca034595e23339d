package usage_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store/storetest"
	"github.com/trowel-project/trowel/internal/trowtest"
	"github.com/trowel-project/trowel/internal/usage"
)

type fixture struct {
	store trowel.Store
	clock *trowtest.Clock
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return &fixture{trowtest.Store(t), trowtest.NewClock(time.Date(2024, 1, 15, 10, 0, 0, 0, time.UTC))}
}

func (f *fixture) recorder(store trowel.Store) *usage.Recorder {
	return usage.New(usage.Options{Store: store, Now: f.clock.Now, Log: slog.New(slog.DiscardHandler)})
}

func (f *fixture) handOffs(t *testing.T) (list []trowel.HandOffs) {
	t.Helper()
	err := f.store.View(t.Context(), func(tx trowel.Tx) (err error) {
		list, err = tx.ListHandOffs(t.Context(), time.Unix(1, 0))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Hand-offs are stored by queue; those that could not be stored come with the next ones.
func TestWriteHandOffs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	away := true
	faulty := storetest.NewFaulty(f.store, func() storetest.Plan {
		if away {
			return storetest.Plan{Fault: storetest.Begin}
		}
		return storetest.Plan{}
	})
	r := f.recorder(faulty)
	r.HandedOut("gpu", time.Second)
	r.HandedOut("default", time.Millisecond)
	if err := r.WriteHandOffs(t.Context()); err == nil {
		t.Error("WriteHandOffs without a database succeeded")
	}
	away = false
	r.HandedOut("gpu", time.Second)
	for range 2 { // the second time there is nothing to write
		if err := r.WriteHandOffs(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	totals := map[string]int{}
	for _, h := range f.handOffs(t) {
		totals[h.Queue] += h.Total()
		if !h.At.Equal(f.clock.Now()) {
			t.Errorf("hand-offs at %s, want %s", h.At, f.clock.Now())
		}
	}
	if diff := cmp.Diff(map[string]int{"default": 1, "gpu": 2}, totals); diff != "" {
		t.Errorf("hand-offs (-want +got):\n%s", diff)
	}
}

// Of several servers that look at the pools at the same time, one counts. What is old is forgotten.
func TestSamplePools(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var warehouse trowel.Pool
	err := f.store.Update(t.Context(), func(tx trowel.Tx) error {
		warehouse = trowel.Pool{Name: "warehouse", Slots: 4, Actor: "ann", CreatedAt: f.clock.Now(), UpdatedAt: f.clock.Now()}
		use := func(p *trowel.Pool, n int) error {
			if _, err := tx.LockCounters(t.Context(), []string{p.Counter()}); err != nil {
				return err
			}
			return tx.AddToCounters(t.Context(), map[string]int{p.Counter(): n})
		}
		return errors.Join(tx.InsertPool(t.Context(), &warehouse), use(&warehouse, 3))
	})
	if err != nil {
		t.Fatal(err)
	}
	one, other := f.recorder(f.store), f.recorder(f.store)
	look := func(r *usage.Recorder, after time.Duration) {
		t.Helper()
		f.clock.Advance(after)
		if err := r.SamplePools(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	uses := func() (list []trowel.PoolUsage) {
		t.Helper()
		err := f.store.View(t.Context(), func(tx trowel.Tx) (err error) {
			list, err = tx.ListPoolUsage(t.Context(), warehouse.ID, time.Unix(1, 0))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	begin := f.clock.Now()
	look(one, 0)
	look(other, 0)
	look(one, usage.Write)
	look(other, usage.Sample)
	want := []trowel.PoolUsage{{Pool: warehouse.ID, At: begin, Samples: 2, Slots: 4, Used: 6, MostUsed: 3}}
	if diff := cmp.Diff(want, uses()); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
	one.HandedOut("default", 0)
	if err := one.WriteHandOffs(t.Context()); err != nil {
		t.Fatal(err)
	}
	look(other, usage.Kept+2*trowel.UsageStep)
	if got := uses(); len(got) != 1 || got[0].At.Before(begin.Add(usage.Kept)) || len(f.handOffs(t)) != 0 {
		t.Errorf("after a day uses = %v and hand-offs = %v, want the new use alone", got, f.handOffs(t))
	}
}

// A recorder ends with its context.
func TestRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.recorder(f.store).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v, want it to be canceled", err)
	}
}
