package queue_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// counted counts transactions that write.
type counted struct {
	trowel.Store

	writes atomic.Int64
}

func (c *counted) Update(ctx context.Context, f func(tx trowel.Tx) error) error {
	c.writes.Add(1)
	return c.Store.Update(ctx, f)
}

// Heartbeats of many agents are written in one transaction, and each learns whether its own row is there.
func TestRenewalsGather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := trowtest.Store(t)
		store := &counted{Store: db}
		r := queue.NewRenewals(queue.RenewalOptions{Store: store, Lease: 30 * time.Second, Now: time.Now})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := r.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Run: %v", err)
			}
		})
		var ids []string
		for range 200 {
			row := trowel.Agent{Name: "agent"}
			if err := r.Register(ctx, &row); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, row.ID)
		}
		<-time.After(10 * time.Second)
		before, began := store.writes.Load(), time.Now()
		var beats sync.WaitGroup
		var renewed atomic.Int64
		for _, id := range append(ids, "gone", ids[0]) {
			beats.Go(func() {
				held, err := r.Renew(ctx, id)
				if err != nil || held == (id == "gone") {
					t.Errorf("Renew(%s) = %v, %v", id, held, err)
				}
				if held {
					renewed.Add(1)
				}
			})
		}
		beats.Wait()
		if n, took := store.writes.Load()-before, time.Since(began); n != 1 || took > time.Second || renewed.Load() != 201 {
			t.Errorf("%d transactions in %v for %d heartbeats, want 1 within 1 s for 201", n, took, renewed.Load())
		}
		stop()
		running.Wait()
		if _, err := r.Renew(ctx, ids[0]); !errors.Is(err, context.Canceled) {
			t.Errorf("Renew after the end: %v, want that of the context", err)
		}
	})
}
