package flush

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
)

// looks are attempts that may have changed without this flusher's doing. They are read when their
// turn comes, some between two transactions, so that a store full of them keeps nobody waiting.
type looks struct {
	queue  []trowel.AttemptID
	queued map[trowel.AttemptID]bool // whether it is looked at although it has no image
	lists  []listing
}

// listing is what a list of the running attempts found: all of them, so that one that is known and not
// here has ended.
type listing struct {
	versions map[trowel.AttemptID]int64
	adopt    bool // those without an image are looked at
}

func (l *looks) add(ids []trowel.AttemptID, unknown bool) {
	if l.queued == nil {
		l.queued = map[trowel.AttemptID]bool{}
	}
	for _, id := range ids {
		was, queued := l.queued[id]
		l.queued[id] = was || unknown
		if !queued {
			l.queue = append(l.queue, id)
		}
	}
}

// lookElsewhere puts the attempts in which other servers have ready tasks on the list, if what was chosen here
// leaves a slot, or some of it is less important: each server does its own work first, as tasks that change hands cost
// both servers a look.
func (f *Flusher) lookElsewhere(chosen *selection) {
	free := 0
	for i := range chosen.slots {
		free += chosen.slots[i].Free
	}
	lightest := math.MaxInt
	for i := range chosen.picks {
		lightest = min(lightest, chosen.picks[i].Needs.PriorityWeight())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.elsewhere) == 0 || free == 0 || (free <= len(chosen.picks) && f.elsewhereWeight <= lightest) {
		return
	}
	f.looks.add(slices.Collect(maps.Keys(f.elsewhere)), true)
	clear(f.elsewhere)
	f.elsewhereWeight = 0
	f.Wake()
}

// take returns the next attempts, without those of which nobody wants to know.
func (l *looks) take(im *images) []trowel.AttemptID {
	for _, found := range l.lists {
		l.add(found.differing(im), found.adopt)
	}
	l.lists = nil
	var ids []trowel.AttemptID
	for len(l.queue) > 0 && len(ids) < maxLooks {
		id := l.queue[0]
		l.queue = l.queue[1:]
		if a := im.byID[id]; l.queued[id] || a != nil && (a.Image != nil || len(a.ended) > 0) {
			ids = append(ids, id)
		}
		delete(l.queued, id)
	}
	return ids
}

// differing lists the attempts of which less is known than the store has.
func (found *listing) differing(im *images) []trowel.AttemptID {
	var ids []trowel.AttemptID
	for id, version := range found.versions {
		if a := im.byID[id]; a == nil || a.version < version {
			ids = append(ids, id)
		}
	}
	for id := range im.byID {
		if _, running := found.versions[id]; !running {
			ids = append(ids, id)
		}
	}
	return ids
}

// lookAt learns what attempts wait for, without locking them: others may be at work on them. Images are
// brought up to date; whoever changes something locks and refreshes anew. If the store is away they are
// looked at later.
func (f *Flusher) lookAt(ctx context.Context, ids []trowel.AttemptID) {
	err := f.opts.Store.View(ctx, func(tx trowel.Tx) error { return f.lookAtAll(ctx, tx, ids) })
	if err != nil && ctx.Err() == nil && !errors.Is(err, trowel.ErrUnavailable) && f.storeWorks(ctx) {
		// What is wrong with one harms no other.
		for _, id := range ids {
			errOne := f.opts.Store.View(ctx, func(tx trowel.Tx) error { return f.lookAtAll(ctx, tx, []trowel.AttemptID{id}) })
			if errOne != nil {
				f.opts.Log.ErrorContext(ctx, "attempt put aside, it cannot be read", slog.Int64("attempt_id", int64(id)), slog.Any("error", errOne))
			}
		}
		return
	}
	if err == nil || ctx.Err() != nil {
		return
	}
	f.mu.Lock()
	f.looks.add(ids, f.opts.Adopt)
	f.mu.Unlock()
	f.opts.Log.WarnContext(ctx, "attempts not read", slog.Any("error", err))
	pause(ctx, maxTries)
}

func (f *Flusher) lookAtAll(ctx context.Context, tx trowel.Tx, ids []trowel.AttemptID) error {
	running, err := tx.FindRunning(ctx, ids)
	if err != nil {
		return err
	}
	there := map[trowel.AttemptID]bool{}
	var bare []trowel.RunningAttempt // without an image
	for i := range running {
		row := &running[i]
		there[row.ID] = true
		known := f.images.byID[row.ID]
		if known == nil || known.Image == nil {
			bare = append(bare, *row)
			continue
		}
		if err := f.lookAtImage(ctx, tx, known, row.Version); err != nil {
			return fmt.Errorf("look at attempt %d: %w", row.ID, err)
		}
	}
	for _, id := range ids {
		if !there[id] {
			if err := f.lookAtEnd(ctx, tx, id); err != nil {
				return err
			}
		}
	}
	return f.lookAtBare(ctx, tx, bare)
}

// lookAtImage brings an image up to date.
func (f *Flusher) lookAtImage(ctx context.Context, tx trowel.Tx, known *attempt, version int64) error {
	if known.Attempt.Version >= version {
		return nil
	}
	row, err := tx.FindAttempt(ctx, known.id)
	if err != nil {
		return err
	}
	_, err = f.refresh(ctx, tx, row)
	if errors.Is(err, trowel.ErrUnknown) {
		f.leave(ctx, row.ID, row.Version, err)
		return nil
	}
	return err
}

// lookAtEnd is for an attempt that runs no longer, or is not there.
func (f *Flusher) lookAtEnd(ctx context.Context, tx trowel.Tx, id trowel.AttemptID) error {
	known := f.images.byID[id]
	if known == nil {
		return nil
	}
	if len(known.ended) == 0 {
		f.drop(known)
		return nil
	}
	row, err := tx.FindAttempt(ctx, id)
	switch {
	case errors.Is(err, trowel.ErrNotFound):
		known.close()
		f.drop(known)
	case err != nil:
		return err
	case row.Flags&trowel.AttemptDone != 0:
		f.end(*row)
	}
	return nil
}

// lookAtBare learns what attempts without an image wait for: their ready tasks, and the instants at which
// they go on.
func (f *Flusher) lookAtBare(ctx context.Context, tx trowel.Tx, bare []trowel.RunningAttempt) error {
	if len(bare) == 0 {
		return nil
	}
	ids := make([]trowel.AttemptID, 0, len(bare))
	for i := range bare {
		if f.leftAlone(ctx, &bare[i]) {
			continue
		}
		ids = append(ids, bare[i].ID)
		control, err := f.control(ctx, tx, bare[i].WorkflowID)
		if err != nil {
			return err
		}
		a := f.images.know(bare[i].ID)
		a.workflow = trowel.WorkflowName{ProjectID: bare[i].ProjectID, Name: bare[i].Workflow}
		a.control, a.version = control, bare[i].Version
		f.timers.drop(a)
		f.backlog.Drop(a.id)
		f.setLimit(a, bare[i].CreatedAt, f.opts.TTLs.Attempt)
		if bare[i].Flags&trowel.AttemptCancelRequested != 0 && f.backlog.Runs(a.id) {
			f.timers.load(a, f.opts.Now()) // agents here are to be told, see met
		}
	}
	live, err := tx.ListLive(ctx, ids)
	if err != nil {
		return err
	}
	for i := range live {
		f.setLive(f.images.byID[live[i].AttemptID], &live[i])
	}
	monitors, err := tx.ListMonitors(ctx, ids)
	for i := range monitors {
		f.setMonitor(f.images.byID[monitors[i].AttemptID], &monitors[i])
	}
	return err
}

// leftAlone reports whether nothing is to be done about an attempt without an image, as it is not understood, or was
// not: then its image is read, which tells whether it is now.
func (f *Flusher) leftAlone(ctx context.Context, row *trowel.RunningAttempt) bool {
	if err := trowel.CheckKnown(row.ID, row.Flags); err != nil {
		f.leave(ctx, row.ID, row.Version, err)
		return true
	}
	a := f.images.byID[row.ID]
	if a == nil || a.left == nil {
		return false
	}
	if a.version != row.Version {
		f.timers.load(a, f.opts.Now())
	}
	a.version = row.Version
	return true
}

// setLive notes what one task waits for.
func (f *Flusher) setLive(a *attempt, row *trowel.LiveTask) {
	switch {
	case row.State == trowel.TaskReady:
		f.backlog.Add(liveReady(a, row))
	case waits(row.State):
		f.timers.set(a, row.RetryAt, engine.Due{Task: row.TaskID})
		if !row.StartedAt.IsZero() {
			f.setLimit(a, row.StartedAt, f.opts.TTLs.Task)
		}
	case row.WaitReason == trowel.WaitEvaluating:
		f.timers.load(a, f.opts.Now().Add(evaluatingFor))
	}
}

// control reads the limits of a workflow, once.
func (f *Flusher) control(ctx context.Context, tx trowel.Tx, id trowel.WorkflowID) (trowel.Control, error) {
	if control, ok := f.controls[id]; ok {
		return control, nil
	}
	d, err := tx.FindDefinition(ctx, id)
	if err != nil {
		return trowel.Control{}, err
	}
	return f.controlOf(&d.Workflow), nil
}

// controlOf reads them from the definition. What is wrong with them was refused when it was pushed.
func (f *Flusher) controlOf(w *trowel.Workflow) trowel.Control {
	control, ok := f.controls[w.ID]
	if !ok {
		control, _ = dig.ControlOf(w.Definition)
		if len(f.controls) >= maxControls {
			clear(f.controls)
		}
		if w.ID != 0 {
			f.controls[w.ID] = control
		}
	}
	return control
}

// maxControls is how many workflows a flusher remembers the limits of.
const maxControls = 10_000
