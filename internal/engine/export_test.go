package engine

import (
	"fmt"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

// Recount compares everything that a task tree keeps about its tasks with a count over all of them.
func (img *TaskTree) Recount() error {
	children := map[trowel.TaskID][]*task{}
	for _, row := range img.List() {
		t := img.tasks[row.ID]
		if t == nil || &t.Task != row {
			return fmt.Errorf("task %d is not kept under its id", row.ID)
		}
		children[t.ParentID] = append(children[t.ParentID], t)
		if img.lastID < t.ID {
			return fmt.Errorf("lastID = %d, want at least %d", img.lastID, t.ID)
		}
	}
	for _, t := range img.tasks {
		if err := t.recount(children[t.ID]); err != nil {
			return fmt.Errorf("%s (%d): %w", t.FullName, t.ID, err)
		}
		if t.State == trowel.TaskReady && !slices.Contains(img.ready, readyEntry{t, t.ReadyAt}) {
			return fmt.Errorf("%s (%d) is ready and in no queue", t.FullName, t.ID)
		}
		if err := img.recountGate(t); err != nil {
			return fmt.Errorf("%s (%d): %w", t.FullName, t.ID, err)
		}
	}
	return nil
}

func (t *task) recount(children []*task) error {
	if !slices.Equal(t.children, children) {
		return fmt.Errorf("has %d children, want %d", len(t.children), len(children))
	}
	running, failed, stores := 0, 0, t.storing()
	for _, c := range children {
		stores += c.stores
		if c.ParentRound != t.Round && c.ParentRound != everyRound {
			continue
		}
		if c.State.Progressing() || c.evaluating() {
			running++
		}
		if c.State.Failed() {
			failed++
		}
	}
	if t.running != running || t.failed != failed || t.stores != stores {
		return fmt.Errorf("running, failed, stores = %d, %d, %d, want %d, %d, %d", t.running, t.failed, t.stores, running, failed, stores)
	}
	return nil
}

func (img *TaskTree) recountGate(t *task) error {
	if t.barrier == nil {
		if len(t.Upstreams) > 0 {
			return fmt.Errorf("waits for %v and has no barrier", t.Upstreams)
		}
		return nil
	}
	waiting := 0
	var ids []trowel.TaskID
	for _, up := range t.barrier.upstreams {
		if img.tasks[up.ID] != up {
			return fmt.Errorf("upstream %d is not of this image", up.ID)
		}
		ids = append(ids, up.ID)
		if up.State != trowel.TaskSuccess {
			waiting++
		}
		if !slices.Contains(up.successors, t.barrier) {
			return fmt.Errorf("upstream %d does not feed it", up.ID)
		}
	}
	if !slices.Equal(ids, t.Upstreams) || !slices.Contains(t.barrier.waiters, t) {
		return fmt.Errorf("barrier has upstreams %v, want %v", ids, t.Upstreams)
	}
	if t.barrier.waiting != waiting {
		return fmt.Errorf("waits for %d tasks, want %d", t.barrier.waiting, waiting)
	}
	return nil
}

// Queued is how many entries the queue of ready tasks has, those that are out of date included.
func (img *TaskTree) Queued() int { return len(img.ready) }

// MaskedState is what is hidden of a task after a report that leaves other state parameters.
func MaskedState(row *trowel.Task, r *trowel.Report) trowel.Masked {
	return maskedState(&task{Task: *row}, *r)
}
