package flush_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// gated is a server whose tasks run until they are let go, and whose store can be away.
type gated struct {
	*trowtest.Fixture
	outage

	letGo chan struct{}
	sever atomic.Int64 // how many reads still fail
}

// readless is a store of which reads may fail.
type readless struct {
	trowel.Store

	g *gated
}

func (r readless) View(ctx context.Context, do func(trowel.Tx) error) error {
	if r.g.sever.Add(-1) >= 0 {
		return fmt.Errorf("no reads: %w", trowel.ErrUnavailable)
	}
	return r.Store.View(ctx, do)
}

func newGated(t *testing.T, definition *param.Map) *gated {
	t.Helper()
	g := &gated{letGo: make(chan struct{})}
	g.Fixture = beginWith(t, func(l *trowel.Lease) trowel.Report {
		if l.FullName == "+w+held" {
			<-g.letGo
		}
		return trowtest.Success(l)
	}, func(o *flush.Options) {
		asServer(o)
		o.Attempts = 1000
		o.Store = readless{g.wrap(o.Store), g}
	})
	g.Context.Workflow.Definition = definition
	return g
}

// together submits things that end up in one transaction, as the store is away until all of them are there.
func (g *gated) together(t *testing.T, submit ...func()) {
	t.Helper()
	g.away.Store(true)
	var all sync.WaitGroup
	all.Go(func() { _ = g.Barrier(t.Context()) })
	synctest.Wait()
	for _, f := range submit {
		all.Go(f)
		synctest.Wait()
	}
	g.away.Store(false)
	all.Wait()
}

// begin begins an attempt; nil if it is refused.
func (g *gated) begin(t *testing.T, after time.Duration, body *param.Map) *flush.Started {
	t.Helper()
	r := g.Request(body)
	r.Context.Session.Time = r.Context.Session.Time.Add(after)
	started, err := g.Start(t.Context(), r)
	if err != nil && !errors.Is(err, trowel.ErrConflict) {
		t.Error(err)
	}
	return started
}

func limitOfOne() *param.Map { return param.Of("max_active_attempts", 1) }

// A start that is refused takes no place of max_active_attempts from one in the same transaction (control K813).
func TestRefusedStartTakesNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t, limitOfOne())
		g.End(g.begin(t, 0, group(1)))
		var again, other *flush.Started
		g.together(t, func() { again = g.begin(t, 0, group(1)) }, func() { other = g.begin(t, time.Second, group(1)) })
		if again != nil || other == nil {
			t.Fatalf("begun are %v and %v, want the second alone", again, other)
		}
		if got := g.Status(other); got != "success" {
			t.Errorf("attempt ended as %s, want success", got)
		}
	})
}

// An attempt that is killed before it was admitted gives no place back.
func TestKilledBeforeAdmission(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t, limitOfOne())
		held := g.begin(t, 0, param.Of("+held", param.Of("echo>", 1)))
		waits := g.begin(t, time.Second, group(1))
		var third *flush.Started
		g.together(t, func() {
			if err := g.Kill(t.Context(), waits.Attempt.ID, "me"); err != nil {
				t.Error(err)
			}
		}, func() { third = g.begin(t, time.Minute, group(1)) })
		if third.Attempt.WaitReason != trowel.WaitAttemptsLimit {
			t.Errorf("the third attempt waits for %q, want %q", third.Attempt.WaitReason, trowel.WaitAttemptsLimit)
		}
		close(g.letGo)
		g.End(held)
		g.End(third)
	})
}

// However many attempts wait, all of them begin after a pause (control K816).
func TestManyAreAdmitted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t, nil)
		name := trowel.WorkflowName{ProjectID: g.Context.Project.ID, Name: "w"}
		pause := &trowel.Pause{ProjectID: name.ProjectID, Workflow: name.Name, At: time.Now(), Actor: "me"}
		trowtest.Update(t, g.Store, func(tx trowel.Tx) error { return tx.PutPause(t.Context(), pause) })
		var all []*flush.Started
		for i := range 120 {
			all = append(all, g.begin(t, time.Duration(i)*time.Second, group(1)))
		}
		trowtest.Update(t, g.Store, func(tx trowel.Tx) error { return tx.DeletePause(t.Context(), name.ProjectID, name.Name) })
		g.Admit(name)
		for _, s := range all {
			g.End(s)
		}
	})
}

// An attempt that waits is admitted when one of an older revision ends, which had no limit, and also if the store is
// away just then.
func TestAdmittedAfterOlderRevision(t *testing.T) {
	t.Parallel()
	for _, reads := range []int64{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			g := newGated(t, nil)
			held := g.begin(t, 0, param.Of("+held", param.Of("echo>", 1)))
			newer := &trowel.Workflow{Name: "w", Zone: "UTC", Definition: limitOfOne()}
			revision := trowel.Revision{ProjectID: g.Context.Project.ID, Name: "newer", CreatedAt: time.Now()}
			trowtest.Update(t, g.Store, func(tx trowel.Tx) error {
				return tx.InsertRevision(t.Context(), &g.Context.Project, &revision, []*trowel.Workflow{newer})
			})
			g.Context.Revision, g.Context.Workflow = revision, *newer
			waits := g.begin(t, time.Second, group(1))
			if waits.Attempt.WaitReason == "" {
				t.Error("the attempt does not wait")
			}
			synctest.Wait()
			g.sever.Store(reads)
			close(g.letGo)
			g.End(held)
			if got := g.Status(waits); got != "success" {
				t.Errorf("attempt ended as %s, want success", got)
			}
		})
	}
}
