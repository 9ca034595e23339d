package flush

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/wait"
)

// evaluatingFor is how long another server may take to evaluate options of a task before this one does
// it too.
const evaluatingFor = 5 * time.Second

// reloader reads attempts that other servers may have changed. It reads a few between two transactions, so that
// a store full of them does not delay anything.
type reloader struct {
	store  trowel.Store
	log    *slog.Logger
	now    func() time.Time
	loader *loader
	wake   wait.Signal
	// recovers is set if the flusher serves attempts that it did not begin, too.
	recovers bool

	mu     sync.Mutex
	queue  reloadQueue
	remote remoteReady
}

// notified takes a message about what another server has changed. Attempts that are not in memory only matter if
// they have ready tasks.
func (rl *reloader) notified(n *cluster.Attempts) {
	rl.mu.Lock()
	defer rl.mu.Unlock()
	rl.queue.add(n.Changed, false)
	if rl.recovers {
		rl.remote.notified(n)
	}
}

// listed takes a list of all running attempts.
func (rl *reloader) listed(versions map[trowel.AttemptID]int64) {
	rl.mu.Lock()
	rl.queue.lists = append(rl.queue.lists, listing{versions: versions, wanted: rl.recovers})
	rl.queue.add(rl.remote.takeUnlisted(versions), true)
	rl.mu.Unlock()
	rl.wake.Set()
}

// stealReady queues the attempts in which other servers have left ready tasks, if the tasks chosen here leave a
// slot free, or some of them weigh less. Each server does its own work first, as a task that moves to another
// server costs both a reload.
func (rl *reloader) stealReady(chosen *selection) {
	free := 0
	for i := range chosen.slots {
		free += chosen.slots[i].Free
	}
	lightest := math.MaxInt
	for i := range chosen.picks {
		lightest = min(lightest, chosen.picks[i].Requirements.PriorityWeight())
	}
	rl.mu.Lock()
	defer rl.mu.Unlock()
	if len(rl.remote.attempts) == 0 || free == 0 || (free <= len(chosen.picks) && rl.remote.weight <= lightest) {
		return
	}
	rl.queue.add(rl.remote.takeAll(), true)
	rl.wake.Set()
}

// take returns the attempts that are to be reloaded next.
func (rl *reloader) take() []trowel.AttemptID {
	rl.mu.Lock()
	defer rl.mu.Unlock()
	return rl.queue.take(rl.loader.cache)
}

// reload brings attempts up to date without locking them, as other servers may be working on them. A
// transaction that changes one locks it, and refreshes it again. If the store is away, they are reloaded later.
func (rl *reloader) reload(ctx context.Context, ids []trowel.AttemptID) {
	err := rl.store.View(ctx, func(tx trowel.Tx) error { return rl.reloadAll(ctx, tx, ids) })
	if err != nil && ctx.Err() == nil && !errors.Is(err, trowel.ErrUnavailable) && storeWorks(ctx, rl.store) {
		rl.reloadOneByOne(ctx, ids)
		return
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	rl.mu.Lock()
	rl.queue.add(ids, rl.recovers)
	rl.mu.Unlock()
	rl.log.WarnContext(ctx, "attempts not read", slog.Any("error", err))
	backOff(ctx, maxTries)
}

// reloadOneByOne reloads each attempt alone, so that one that cannot be read harms no other.
func (rl *reloader) reloadOneByOne(ctx context.Context, ids []trowel.AttemptID) {
	for _, id := range ids {
		err := rl.store.View(ctx, func(tx trowel.Tx) error { return rl.reloadAll(ctx, tx, []trowel.AttemptID{id}) })
		if err != nil {
			rl.log.ErrorContext(ctx, "attempt put aside, it cannot be read", slog.Int64("attempt_id", int64(id)), slog.Any("error", err))
		}
	}
}

func (rl *reloader) reloadAll(ctx context.Context, tx trowel.Tx, ids []trowel.AttemptID) error {
	running, err := tx.FindRunning(ctx, ids)
	if err != nil {
		return err
	}
	found := map[trowel.AttemptID]bool{}
	var bare []trowel.RunningAttempt // those without a tree in memory
	for i := range running {
		row := &running[i]
		found[row.ID] = true
		a := rl.loader.cache.get(row.ID)
		if a == nil || a.tree == nil {
			bare = append(bare, *row)
			continue
		}
		if err := rl.refreshTree(ctx, tx, a, row.Version); err != nil {
			return fmt.Errorf("look at attempt %d: %w", row.ID, err)
		}
	}
	for _, id := range ids {
		if !found[id] {
			if err := rl.endMissing(ctx, tx, id); err != nil {
				return err
			}
		}
	}
	return rl.reloadBare(ctx, tx, bare)
}

// refreshTree brings a task tree up to date.
func (rl *reloader) refreshTree(ctx context.Context, tx trowel.Tx, a *attempt, version int64) error {
	if a.tree.Attempt.Version >= version {
		return nil
	}
	row, err := tx.FindAttempt(ctx, a.id)
	if err != nil {
		return err
	}
	_, err = rl.loader.refresh(ctx, tx, row)
	if errors.Is(err, trowel.ErrUnknown) {
		rl.loader.leave(ctx, row.ID, row.Version, err)
		return nil
	}
	return err
}

// endMissing drops an attempt that does not run any more, or does not exist.
func (rl *reloader) endMissing(ctx context.Context, tx trowel.Tx, id trowel.AttemptID) error {
	a := rl.loader.cache.get(id)
	if a == nil {
		return nil
	}
	if len(a.waiters) == 0 {
		rl.loader.drop(a)
		return nil
	}
	row, err := tx.FindAttempt(ctx, id)
	switch {
	case errors.Is(err, trowel.ErrNotFound):
		a.close()
		rl.loader.drop(a)
	case err != nil:
		return err
	case row.Flags&trowel.AttemptDone != 0:
		rl.loader.end(*row)
	}
	return nil
}
