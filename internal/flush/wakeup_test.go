package flush_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// What is heard of an attempt is looked at at once, however many others are named with it.
func TestHeardOfMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := beginWithoutRoom(t, nil)
		started := f.Begin(0, group(1))
		other := trowtest.RunFlusher(t, flush.Options{Store: f.Store})
		if err := other.Kill(t.Context(), started.Attempt.ID, "me"); err != nil {
			t.Fatal(err)
		}
		var ids []trowel.AttemptID
		for i := range 250 {
			ids = append(ids, trowel.AttemptID(1000+i))
		}
		before := time.Now()
		f.OnNotify(cluster.Attempts{Changed: append(ids, started.Attempt.ID)})
		<-started.Ended
		if took := time.Since(before); took > time.Second {
			t.Errorf("the end was heard after %v", took)
		}
	})
}

// slow is an evaluator that takes its time.
type slow struct{ takes atomic.Int64 }

func (s *slow) Config(_ context.Context, _, local *param.Map, _ *time.Location) (*param.Map, error) {
	<-time.After(time.Duration(s.takes.Load()))
	m := param.New()
	for _, key := range local.Keys() {
		m.Set(key, "default")
	}
	return m, nil
}

// A task whose options another server has evaluated first is evaluated again when it is retried.
func TestEvaluatedElsewhereFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var here, there slow
		here.takes.Store(int64(8 * time.Second))
		var tries atomic.Int64
		f := beginWith(t, func(l *trowel.Lease) trowel.Report {
			r := trowtest.Success(l)
			switch {
			case strings.HasSuffix(l.FullName, "^sub+fails"):
				r.Outcome, r.Error = trowel.OutcomeFailure, param.Of("message", "it fails")
			case l.FullName == "+w+a" && tries.Add(1) == 1:
				r.Result.Subtasks = param.Of("+fails", param.Of("echo>", 1))
			}
			return r
		}, func(o *flush.Options) { o.RetryForever, o.Recover, o.Templates = true, true, &here })
		trowtest.PutAgent(t, f.Store, "agent", 24*time.Hour)
		trowtest.PutAgent(t, f.Store, "nobody", 24*time.Hour)
		started := f.Begin(0, param.Of("+a", param.Of("op>", 1, "_retry", param.Of("limit", 1, "interval", 60), "_queue", "${q}")))
		other := trowtest.RunFlusher(t, flush.Options{Store: f.Store, RetryForever: true, Recover: true, Templates: &there})
		<-time.After(20 * time.Second)
		other.Stop()
		here.takes.Store(0)
		if got := (<-started.Ended).Flags.Status(); got != "success" || tries.Load() != 2 {
			t.Errorf("attempt ended as %s after %d tries, want success after 2", got, tries.Load())
		}
	})
}

// An attempt that the store did not take for a while goes on when it does.
func TestPutAsideForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Int64
		f := beginWithoutRoom(t, func(o *flush.Options) {
			asServer(o)
			o.Store = hooked{o.Store, func(tx trowel.Tx) trowel.Tx { return brokenTx{tx, &broken} }}
		})
		started := f.Begin(0, group(1))
		broken.Store(int64(started.Attempt.ID))
		f.Agent.SetSlots(1)
		f.Wake()
		<-time.After(time.Hour)
		broken.Store(0)
		mended := time.Now()
		if got := (<-started.Ended).Flags.Status(); got != "success" || time.Since(mended) > 2*time.Minute {
			t.Errorf("attempt ended as %s %v after the store was mended, want success within a minute", got, time.Since(mended))
		}
	})
}

// A kill at another server reaches the agent of a server that has evicted the attempt.
func TestKillReachesForgottenAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var away outage
		held := make(chan struct{})
		stopped := make(chan trowel.TryID, 9)
		agent := &trowtest.Agent{
			Name: "far", Slots: 1, OnCancel: func(try trowel.TryID) { stopped <- try },
			Work: func(l *trowel.Lease) trowel.Report {
				<-held
				return trowtest.Success(l)
			},
		}
		f := beginWithoutRoom(t, func(o *flush.Options) {
			o.RetryForever, o.Recover = true, true
			o.Store = away.wrap(o.Store)
		})
		trowtest.PutAgent(t, f.Store, "agent", 24*time.Hour)
		trowtest.PutAgent(t, f.Store, "far", 24*time.Hour)
		trowtest.PutAgent(t, f.Store, "nobody", 24*time.Hour)
		f.Attach(agent)
		started := f.Begin(0, param.Of("_parallel", true, "+a", param.Of("echo>", 1), "+b", param.Of("echo>", 1)))
		synctest.Wait()
		f.Evict(started.Attempt.ID)
		other := trowtest.RunFlusher(t, flush.Options{Store: f.Store})
		if err := other.Kill(t.Context(), started.Attempt.ID, "me"); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		other.Stop()
		<-stopped
		if took := time.Since(killed); took > 11*time.Second {
			t.Errorf("the agent was told after %v, want at most a look of 10 s", took)
		}
		close(held)
		<-started.Ended
	})
}

// A server without room forgets attempts with ready tasks that have ended at other servers.
func TestEndedElsewhereIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := beginWithoutRoom(t, func(o *flush.Options) { o.RetryForever, o.Recover = true, true })
		trowtest.PutAgent(t, f.Store, "agent", 24*time.Hour)
		f.OnNotify(cluster.Attempts{Changed: []trowel.AttemptID{7, 8}, Ready: []trowel.AttemptID{7, 8}})
		<-time.After(time.Minute)
		if n := f.RemoteReady(); n > 0 {
			t.Errorf("%d attempts are remembered that have ended", n)
		}
	})
}
