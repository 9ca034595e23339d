package flush_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/param"
)

// history is what the store has of an ended attempt.
type history struct {
	attempt *trowel.Attempt
	context *trowel.AttemptContext
	tasks   []*trowel.Task
	tries   []trowel.Try
	audits  []trowel.AuditEntry
}

// check reads the history of an ended attempt and plays it to the model.
func (f *faultRound) check(ctx context.Context, end trowel.Attempt) error {
	var h history
	err := f.store.View(ctx, func(tx trowel.Tx) (err error) {
		live, errLive := tx.ListTasks(ctx, end.ID, -1)
		if len(live) > 0 {
			errLive = fmt.Errorf("%d live tasks are left", len(live))
		}
		var errs [5]error
		h.context, errs[4] = tx.FindAttemptContext(ctx, end.ID)
		h.attempt, errs[0] = tx.FindAttempt(ctx, end.ID)
		h.tasks, errs[1] = tx.ListArchivedTasks(ctx, end.ID)
		h.tries, errs[2] = tx.ListTries(ctx, end.ID)
		h.audits, errs[3] = tx.ListAudits(ctx, end.ID)
		return errors.Join(errLive, errors.Join(errs[:]...))
	})
	if err != nil {
		return err
	}
	if h.attempt.Flags != end.Flags || h.attempt.Version != end.Version {
		return fmt.Errorf("stored flags and version %d, %d, told %d, %d", h.attempt.Flags, h.attempt.Version, end.Flags, end.Version)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := errors.Join(f.checkTries(&h), f.checkHeard(&h), f.replay(&h)); err != nil {
		return fmt.Errorf("%w\n%s", err, h.text())
	}
	return nil
}

// text is the history as it is told when something is wrong with it.
func (h *history) text() string {
	var b strings.Builder
	for _, row := range h.tasks {
		fmt.Fprintf(&b, "  %d %s: %s, flags %d, try %d, below %d\n", row.ID, row.FullName, row.State, row.Flags, row.Try, row.ParentID)
	}
	for i, e := range h.audits {
		fmt.Fprintf(&b, "  %d: %s task %d try %d from %s to %s: %s by %s\n", i, e.At.Format(time.TimeOnly), e.TaskID, e.Try, e.From, e.To, e.Cause, e.Actor)
	}
	return b.String()
}

// checkTries compares the ended tries with the leases: each ended once, and in the way that was
// reported.
func (f *faultRound) checkTries(h *history) error {
	ended := map[key]bool{}
	for _, try := range h.tries {
		k := key{try.TaskID, try.Number}
		want, given := f.reports[k]
		lost := try.Exit == trowel.ExitLost && f.deaths
		switch {
		case !given && lost: // its process died when it was about to be given
		case !given:
			return fmt.Errorf("%s: try %d ended, but was never given", try.FullName, try.Number)
		case ended[k]:
			return fmt.Errorf("%s: try %d ended twice", try.FullName, try.Number)
		case !lost && try.Exit != trowel.ExitCanceled && try.Exit != exitOf(want.Outcome):
			return fmt.Errorf("%s: try %d ended as %s, reported was %d", try.FullName, try.Number, try.Exit, want.Outcome)
		}
		ended[k] = true
	}
	for k, lease := range f.leases {
		if lease.AttemptID == h.attempt.ID && !ended[k] {
			return fmt.Errorf("%s: try %d was given and reported, but never ended", lease.FullName, lease.Try)
		}
	}
	return nil
}

func exitOf(o trowel.Outcome) string {
	return map[trowel.Outcome]string{
		trowel.OutcomeSuccess: trowel.ExitSuccess, trowel.OutcomeFailure: trowel.ExitError,
		trowel.OutcomePoll: trowel.ExitPoll, trowel.OutcomeRetry: trowel.ExitRetry,
	}[o]
}

// checkHeard compares what observers heard with the audit: the same changes, each once, in order.
func (f *faultRound) checkHeard(h *history) error {
	if f.deaths {
		return nil
	}
	var told []heard
	for _, change := range f.heard {
		if change.attempt == h.attempt.ID {
			told = append(told, change)
		}
	}
	i := 0
	for _, e := range h.audits {
		if e.TaskID == 0 {
			continue
		}
		if e.Actor == killer && e.To == trowel.TaskRunning.String() && !f.canceled[e.TaskID] {
			return fmt.Errorf("task %d ran when it was killed, and the agent was not told", e.TaskID)
		}
		if i >= len(told) {
			return fmt.Errorf("the audit has %s of task %d, observers heard no more than %d changes", e.Cause, e.TaskID, len(told))
		}
		if c := told[i]; c.task != e.TaskID || string(c.move) != e.Cause || c.from.String() != e.From || c.to.String() != e.To {
			return fmt.Errorf("change %d: the audit has %s of task %d, observers heard %s of %d", i, e.Cause, e.TaskID, c.move, c.task)
		}
		i++
	}
	if i != len(told) {
		return fmt.Errorf("the audit has %d changes, observers heard %d", i, len(told))
	}
	return nil
}

// replay plays the audit to the model and compares the outcome with the archive. The ids of the
// model are the ranks of those in the store.
func (f *faultRound) replay(h *history) error {
	rank := map[trowel.TaskID]trowel.TaskID{}
	for i, row := range h.tasks {
		rank[row.ID] = trowel.TaskID(i + 1)
	}
	tasks, err := dig.Compile("", "+w", f.of[h.context.Session.Time.Unix()].Body)
	if err != nil {
		return err
	}
	m := model.Start(tasks, nil, 1000, f.waits[h.attempt.ID], h.audits[0].At)
	base := param.Merged(f.context.Revision.Params, h.attempt.Params)
	for i, e := range h.audits {
		if e.TaskID == 0 {
			continue
		}
		id := rank[e.TaskID]
		if m.Task(id) == nil {
			return fmt.Errorf("audit entry %d, %s of task %d: the model has no such task yet", i, e.Cause, e.TaskID)
		}
		if got, want := m.Task(id).Name, h.tasks[id-1].FullName; got != want {
			return fmt.Errorf("audit entry %d, %s of %s: in the model that is %s", i, e.Cause, want, got)
		}
		f.event(m, h, i, m.Task(id))
		if e.Cause == string(trowel.TransitionClaim) {
			if err := f.checkScope(m, id, key{e.TaskID, e.Try}, base); err != nil {
				return err
			}
		}
	}
	return compareModel(m, h, rank)
}

// event gives the model the event that an audit entry is the direct consequence of; entries that
// follow from others are none.
func (f *faultRound) event(m *model.Model, h *history, i int, t *model.Task) {
	e, id := h.audits[i], t.ID
	switch {
	case e.Cause == string(trowel.TransitionClaim):
		m.Claim(id, nil, e.At)
	case e.Cause == string(trowel.TransitionRelease):
		m.Release(id, e.Try, false, 0, e.At)
	case e.From == trowel.TaskRunning.String() && e.Actor == "engine": // its agent was lost
		m.Release(id, e.Try, true, 0, e.At)
	case e.Actor == killer:
		if m.Flags&trowel.AttemptCancelRequested == 0 {
			m.Kill(e.At)
		}
	case e.From == trowel.TaskRetryWaiting.String(), e.From == trowel.TaskGroupRetryWaiting.String():
		m.Due(id, e.At)
	case m.Wait != "":
		m.Admit(e.At)
	case t.Waits && e.To != trowel.TaskBlocked.String():
		k := f.of[h.context.Session.Time.Unix()]
		values, err := optionsOf(k, t.Name, m.Expressions(t))
		m.Evaluated(id, values, err, e.At)
	case e.From == trowel.TaskReady.String() && !t.Group:
		c := t.Needs.Concurrency
		m.Full(id, fmt.Sprintf("concurrency limit %d of %q is reached", c.Limit, c.Key), e.At)
	case e.From == trowel.TaskRunning.String():
		r := f.reports[key{e.TaskID, e.Try}]
		r.TaskID, r.Try = id, e.Try // one that was never given has no report
		m.Report(r, e.At)
	}
}

// checkScope compares what a lease showed with the parameters of the model.
func (f *faultRound) checkScope(m *model.Model, id trowel.TaskID, k key, base *param.Map) error {
	lease := f.leases[k]
	if lease == nil && f.deaths {
		return nil // claimed, and its process died
	}
	if lease == nil {
		return fmt.Errorf("try %d of task %d was claimed, but never given", k.try, k.task)
	}
	want := m.Scope(id, base)
	got := lease.Scope.Clone()
	for _, name := range got.Keys() {
		if !want.Has(name) {
			got.Delete(name)
		}
	}
	if got, want := param.JSON(got), param.JSON(want); got != want {
		return fmt.Errorf("%s: scope = %s, want %s", lease.FullName, got, want)
	}
	return nil
}

func compareModel(m *model.Model, h *history, rank map[trowel.TaskID]trowel.TaskID) error {
	if len(h.tasks) != len(m.Tasks) || h.attempt.Flags != m.Flags {
		return fmt.Errorf("%d tasks and flags %d, the model has %d and %d", len(h.tasks), h.attempt.Flags, len(m.Tasks), m.Flags)
	}
	for i, want := range m.Tasks {
		got := h.tasks[i]
		var ups []trowel.TaskID
		for _, up := range got.Upstreams {
			ups = append(ups, rank[up])
		}
		switch {
		case got.FullName != want.Name || got.State != want.State || got.Flags != want.Flags || got.Try != want.Try:
			return fmt.Errorf("%s: state %s, flags %d, try %d, want %s, %d, %d", got.FullName, got.State, got.Flags, got.Try, want.State, want.Flags, want.Try)
		case rank[got.ParentID] != want.Parent || !slices.Equal(ups, want.Upstreams):
			return fmt.Errorf("%s: below %d after %v, want %d, %v", got.FullName, rank[got.ParentID], ups, want.Parent, want.Upstreams)
		case param.JSON(got.Result.Store) != param.JSON(want.Result.Store) && got.Result.Store.Len()+want.Result.Store.Len() > 0:
			return fmt.Errorf("%s: store %s, want %s", got.FullName, param.JSON(got.Result.Store), param.JSON(want.Result.Store))
		}
	}
	return nil
}
