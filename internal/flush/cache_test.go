package flush_test

import (
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// The attempts in memory have no copies of their workflows, neither those that begin nor those that are read again.
func TestAttemptsKeepNoDefinitions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := &trowtest.Agent{Name: "far", Slots: 1, Work: func(l *trowel.Lease) trowel.Report {
			if l.Context.Workflow.Definition != nil || l.Context.Workflow.Name == "" {
				t.Errorf("the context of attempt %d has workflow %+v", l.AttemptID, l.Context.Workflow)
			}
			return trowtest.Success(l)
		}}
		f := beginWithoutRoom(t, func(o *flush.Options) { o.RetryForever, o.Recover = true, true })
		trowtest.PutAgent(t, f.Store, "agent", 24*time.Hour)
		trowtest.PutAgent(t, f.Store, "far", 24*time.Hour)
		body := param.Of("+a", param.Of("echo>", 1))
		var started [2]*flush.Started
		for i := range started {
			r := f.Request(body)
			r.Context.Session.Time = r.Context.Session.Time.Add(time.Duration(i) * time.Hour)
			r.Context.Workflow.Definition = body
			var err error
			if started[i], err = f.Start(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		f.Evict(started[1].Attempt.ID)
		f.Attach(agent)
		for _, s := range started {
			if got := (<-s.Ended).Flags.Status(); got != "success" {
				t.Errorf("attempt ended as %s, want success", got)
			}
		}
	})
}
