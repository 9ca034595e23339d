package flush

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
)

// looks are attempts that may have changed without this flusher's doing. They are read when their
// turn comes, some between two transactions, so that a store full of them keeps nobody waiting.
type looks struct {
	queue  []trowel.AttemptID
	queued map[trowel.AttemptID]bool
	lists  []list
}

// list is what a listing of the running attempts found.
type list struct {
	versions map[trowel.AttemptID]int64
	// all tells that it has all running attempts: one that is in memory and not here has ended.
	all bool
}

func (l *looks) add(ids []trowel.AttemptID) {
	if l.queued == nil {
		l.queued = map[trowel.AttemptID]bool{}
	}
	for _, id := range ids {
		if !l.queued[id] {
			l.queued[id] = true
			l.queue = append(l.queue, id)
		}
	}
}

// take returns the next attempts; those that are not in memory only if they are adopted.
func (l *looks) take(im *images, adopt bool) []trowel.AttemptID {
	for _, found := range l.lists {
		l.add(found.differing(im))
	}
	l.lists = nil
	n := min(len(l.queue), maxLooks)
	var ids []trowel.AttemptID
	for _, id := range l.queue[:n] {
		delete(l.queued, id)
		if adopt || im.byID[id] != nil {
			ids = append(ids, id)
		}
	}
	l.queue = l.queue[n:]
	return ids
}

// lookAt brings the images of attempts up to date without locking them: others may be at work on
// them. What they wait for and what is ready in them is known then; whoever changes something locks
// and refreshes anew. If the store is away they are looked at later.
func (f *Flusher) lookAt(ctx context.Context, ids []trowel.AttemptID) {
	err := f.opts.Store.View(ctx, func(tx trowel.Tx) error {
		for len(ids) > 0 {
			if err := f.lookAtOne(ctx, tx, ids[0]); err != nil {
				return fmt.Errorf("look at attempt %d: %w", ids[0], err)
			}
			ids = ids[1:]
		}
		return nil
	})
	if err == nil || ctx.Err() != nil {
		return
	}
	away := errors.Is(err, trowel.ErrUnavailable) || !f.storeWorks(ctx)
	if !away && len(ids) > 0 {
		f.opts.Log.ErrorContext(ctx, "attempt put aside, it cannot be read", slog.Any("error", err))
		ids = ids[1:]
	}
	f.mu.Lock()
	f.looks.add(ids)
	f.mu.Unlock()
	if away {
		f.opts.Log.WarnContext(ctx, "attempts not read", slog.Any("error", err))
		pause(ctx, maxTries)
	}
}

func (f *Flusher) lookAtOne(ctx context.Context, tx trowel.Tx, id trowel.AttemptID) error {
	row, err := tx.FindAttempt(ctx, id)
	if errors.Is(err, trowel.ErrNotFound) {
		if known := f.images.byID[id]; known != nil {
			known.close()
			f.drop(known)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if row.Flags&trowel.AttemptDone != 0 {
		f.end(*row)
		return nil
	}
	a, err := f.refresh(ctx, tx, row)
	if err == nil && a.wanting() {
		f.images.turns.Add(a)
	}
	return err
}

// differing lists the attempts of which the images know less than the store.
func (found *list) differing(im *images) []trowel.AttemptID {
	var ids []trowel.AttemptID
	for id, version := range found.versions {
		a := im.byID[id]
		if a == nil || a.Image == nil || a.Attempt.Version < version {
			ids = append(ids, id)
		}
	}
	if found.all {
		for id := range im.byID {
			if _, running := found.versions[id]; !running {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
