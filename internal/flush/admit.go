package flush

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/queue"
)

// admitAtOnce is how many attempts of a workflow are tried to admit at a time. If one of them begins, others are
// tried after them.
const admitAtOnce = 10

// Admit tells that attempts of a workflow that wait may perhaps begin: one has ended, or the workflow is
// paused no longer.
func (f *Flusher) Admit(w trowel.WorkflowName) {
	f.mu.Lock()
	f.admit[w] = true
	f.mu.Unlock()
	f.Wake()
}

// lookForAdmission finds the attempts that wait in these workflows, in their order, and submits them.
func (f *Flusher) lookForAdmission(ctx context.Context) {
	f.mu.Lock()
	if len(f.admit) == 0 {
		f.mu.Unlock()
		return
	}
	workflows := f.admit
	f.admit = map[trowel.WorkflowName]bool{}
	f.mu.Unlock()
	for w := range workflows {
		var ids []trowel.AttemptID
		err := f.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
			ids, err = tx.ListWaiting(ctx, w.ProjectID, w.Name, admitAtOnce)
			return err
		})
		if err != nil {
			f.opts.Log.WarnContext(ctx, "waiting attempts not listed", slog.String("workflow", w.Name), slog.Any("error", err))
			f.Admit(w)
			pause(ctx, maxTries)
			continue
		}
		if len(ids) == 0 {
			delete(f.waiting, w)
			continue
		}
		f.waiting[w] = true
		for _, id := range ids {
			f.submit(&event{attempt: id, admit: true, workflow: w, more: len(ids) == admitAtOnce})
		}
	}
}

// lockAdmission lets one transaction at a time admit attempts of a workflow with a limit. It comes before
// all other locks.
func (f *Flusher) lockAdmission(ctx context.Context, tx trowel.Tx, w *write, batch []*event) error {
	names := map[string]bool{}
	starts := false
	for _, ev := range batch {
		switch {
		case ev.admit:
			names[queue.AttemptsUse(ev.workflow)] = true
		case ev.start != nil:
			starts = true
			if f.controlOf(&ev.start.Setting.Workflow).ActiveAttempts > 0 {
				names[queue.AttemptsUse(nameOf(&ev.start.Setting))] = true
			}
		}
	}
	if len(names) > 0 {
		if _, err := tx.LockUses(ctx, slices.Collect(maps.Keys(names))); err != nil {
			return err
		}
	}
	if !starts && len(names) == 0 {
		return nil
	}
	pauses, err := tx.ListPauses(ctx)
	if err != nil {
		return err
	}
	w.paused = map[trowel.WorkflowName]bool{}
	for _, p := range pauses {
		w.paused[trowel.WorkflowName{ProjectID: p.ProjectID, Name: p.Workflow}] = true
	}
	w.admitted = map[trowel.WorkflowName]int{}
	return nil
}

func nameOf(s *trowel.Setting) trowel.WorkflowName {
	return trowel.WorkflowName{ProjectID: s.Project.ID, Name: s.Workflow.Name}
}

// waitReason tells why an attempt must wait before it begins (control K813, K816); empty if it may begin
// now. Who lets it begin counts it, see admit.
func (f *Flusher) waitReason(ctx context.Context, tx trowel.Tx, w *write, name trowel.WorkflowName, control trowel.Control) (trowel.WaitCode, error) {
	if w.paused[name] {
		return trowel.WaitWorkflowPaused, nil
	}
	if control.ActiveAttempts == 0 {
		return "", nil
	}
	admitted, known := w.admitted[name]
	if !known {
		var err error
		if admitted, err = tx.CountAdmitted(ctx, name.ProjectID, name.Name); err != nil {
			return "", err
		}
		for i := range w.batch.Ended { // what has ended in this transaction is not written yet
			id := w.batch.Ended[i].ID
			if s := w.batch.settings[id]; s != nil && nameOf(s) == name && !w.neverBegan[id] {
				admitted--
			}
		}
		w.admitted[name] = admitted
	}
	if admitted >= control.ActiveAttempts {
		return trowel.WaitAttemptsLimit, nil
	}
	return "", nil
}

// admit counts an attempt that begins in this transaction.
func (w *write) admit(name trowel.WorkflowName) {
	if admitted, counted := w.admitted[name]; counted {
		w.admitted[name] = admitted + 1
	}
}

// admitOne lets an attempt begin that waits, if it may.
func (f *Flusher) admitOne(ctx context.Context, tx trowel.Tx, w *write, a *attempt, ev *event) error {
	if !a.running() || a.Attempt.WaitReason == "" {
		f.admitMore(ev)
		return nil
	}
	reason, err := f.waitReason(ctx, tx, w, a.workflow, a.control)
	if err != nil || reason == a.Attempt.WaitReason {
		return err
	}
	if reason != "" {
		return nil // it waits for something else now, which who asks is told
	}
	f.applyTo(w, a, &event{attempt: a.id, what: engine.Admit{}})
	w.admit(a.workflow)
	f.admitMore(ev)
	return nil
}

// admitMore looks for others that wait, after an attempt that does not wait any more.
func (f *Flusher) admitMore(ev *event) {
	if ev.more {
		f.Admit(ev.workflow)
	}
}

// tooManyActive is what is said when an attempt is refused for the limit of its workflow.
func tooManyActive(name string, limit int) error {
	return &trowel.Error{
		Kind:    trowel.ErrLimit,
		Message: fmt.Sprintf("Too many active attempts of workflow %s. Limit: %d", name, limit),
		Hint:    "wait until one has ended, or raise max_active_attempts in the workflow",
	}
}

// admitNext looks for attempts that may begin now that others have ended. Those that wait may be of another
// revision than these.
func (f *Flusher) admitNext(w *write) {
	var names []trowel.WorkflowName
	for i := range w.batch.Ended {
		s := w.batch.settings[w.batch.Ended[i].ID]
		if s == nil || f.controlOf(&s.Workflow).ActiveAttempts == 0 && !f.waiting[nameOf(s)] {
			continue
		}
		if name := nameOf(s); !slices.Contains(names, name) {
			names = append(names, name)
			f.Admit(name)
		}
	}
}

// admitWaiting looks for attempts that wait in all workflows, in case nobody told.
func (f *Flusher) admitWaiting(ctx context.Context) error {
	var workflows []trowel.WorkflowName
	err := f.opts.Store.View(ctx, func(tx trowel.Tx) (err error) {
		workflows, err = tx.ListWaitingWorkflows(ctx)
		return err
	})
	for _, w := range workflows {
		f.Admit(w)
	}
	return err
}
