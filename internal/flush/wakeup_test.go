package flush_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
)

// runOther runs another flusher on a store, with an agent that takes nothing. stop ends it.
func runOther(t *testing.T, store trowel.Store, change func(*flush.Options)) (f *flush.Flusher, stop func()) {
	t.Helper()
	opts := flush.Options{
		Store: store, Agent: &scripted{name: "nobody"}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limits: engine.Limits{Tasks: 1000}, Attempts: 100,
	}
	change(&opts)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	f = flush.New(opts)
	running.Go(func() { _ = f.Run(ctx) })
	return f, func() {
		cancel()
		running.Wait()
	}
}

// What is heard of an attempt is looked at at once, however many others are named with it.
func TestHeardOfMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, store, setting := beginWith(t, success, func(_ *flush.Options, a *scripted) { a.room = 0 })
		started := start(t, f, setting, 0, group(1))
		other, stop := runOther(t, store, func(*flush.Options) {})
		defer stop()
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
		f, store, setting := beginWith(t, func(l *trowel.Lease) trowel.Report {
			r := success(l)
			switch {
			case strings.HasSuffix(l.FullName, "^sub+fails"):
				r.Outcome, r.Error = trowel.OutcomeFailure, param.Of("message", "it fails")
			case l.FullName == "+w+a" && tries.Add(1) == 1:
				r.Result.Subtasks = param.Of("+fails", param.Of("echo>", 1))
			}
			return r
		}, func(o *flush.Options, _ *scripted) { o.RetryForever, o.Recover, o.Templates = true, true, &here })
		putAgent(t, store, "scripted", 24*time.Hour)
		putAgent(t, store, "nobody", 24*time.Hour)
		started := start(t, f, setting, 0, param.Of("+a", param.Of("op>", 1, "_retry", param.Of("limit", 1, "interval", 60), "_queue", "${q}")))
		_, stop := runOther(t, store, func(o *flush.Options) { o.RetryForever, o.Recover, o.Templates = true, true, &there })
		<-time.After(20 * time.Second)
		stop()
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
		var agent *scripted
		f, _, setting := beginWith(t, success, func(o *flush.Options, a *scripted) {
			asServer(o)
			agent, a.room = a, 0
			o.Store = hooked{o.Store, func(tx trowel.Tx) trowel.Tx { return brokenTx{tx, &broken} }}
		})
		started := start(t, f, setting, 0, group(1))
		broken.Store(int64(started.Attempt.ID))
		agent.mu.Lock()
		agent.room = 1
		agent.mu.Unlock()
		f.Wake()
		<-time.After(time.Hour)
		broken.Store(0)
		mended := time.Now()
		if got := (<-started.Ended).Flags.Status(); got != "success" || time.Since(mended) > 2*time.Minute {
			t.Errorf("attempt ended as %s %v after the store was mended, want success within a minute", got, time.Since(mended))
		}
	})
}

// canceler notes what it is told to stop.
type canceler struct {
	crowd

	stopped chan trowel.TryID
}

func (c *canceler) Cancel(tries []trowel.TryID) {
	for _, try := range tries {
		c.stopped <- try
	}
}

// A kill at another server reaches the agent of a server that has evicted the attempt.
func TestKillReachesForgottenAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var away outage
		held := make(chan struct{})
		agent := &canceler{stopped: make(chan trowel.TryID, 9)}
		agent.crowd = crowd{id: "far", slots: 1, run: func(l *trowel.Lease) trowel.Report {
			<-held
			return success(l)
		}}
		f, store, setting := beginWith(t, success, func(o *flush.Options, a *scripted) {
			o.RetryForever, o.Recover, a.room = true, true, 0
			o.Store = away.wrap(o.Store)
		})
		agent.flusher = func() *flush.Flusher { return f }
		putAgent(t, store, "scripted", 24*time.Hour)
		putAgent(t, store, "far", 24*time.Hour)
		putAgent(t, store, "nobody", 24*time.Hour)
		f.Attach(agent)
		started := start(t, f, setting, 0, param.Of("_parallel", true, "+a", param.Of("echo>", 1), "+b", param.Of("echo>", 1)))
		synctest.Wait()
		f.Evict(started.Attempt.ID)
		other, stop := runOther(t, store, func(*flush.Options) {})
		if err := other.Kill(t.Context(), started.Attempt.ID, "me"); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		stop()
		<-agent.stopped
		if took := time.Since(killed); took > 11*time.Second {
			t.Errorf("the agent was told after %v, want at most a look of 10 s", took)
		}
		close(held)
		<-started.Ended
		agent.running.Wait()
	})
}

// A server without room forgets attempts with ready tasks that have ended at other servers.
func TestEndedElsewhereIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, store, _ := beginWith(t, success, func(o *flush.Options, a *scripted) { o.RetryForever, o.Recover, a.room = true, true, 0 })
		putAgent(t, store, "scripted", 24*time.Hour)
		f.OnNotify(cluster.Attempts{Changed: []trowel.AttemptID{7, 8}, Ready: []trowel.AttemptID{7, 8}})
		<-time.After(time.Minute)
		if n := f.RemoteReady(); n > 0 {
			t.Errorf("%d attempts are remembered that have ended", n)
		}
	})
}
