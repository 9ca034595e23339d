package remote_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/agent"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/remote"
	"github.com/trowel-project/trowel/internal/trowtest"
)

func one(value param.Value) *param.Map { return param.Of("+a", param.Of("do>", value)) }

// Tasks go to a remote agent with all that they need, and their results come back.
func TestTasksRunRemotely(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	leases := make(chan *trowel.Lease, 20)
	f.connect(t, func(_ context.Context, r *operator.Request) (operator.Outcome, error) {
		leases <- r.Lease
		text, err := r.Params.String("_command")
		return operator.Outcome{Result: trowel.Result{Store: param.Of("last", text+"!")}}, err
	}, nil, h.URL)
	started := h.start(t, param.Of("_export", param.Of("big", int64(1)<<60, "f", 1e7),
		"+a", param.Of("do>", "x"), "+b", param.Of("do>", "${last}${big}"), "+c", param.Of("_parallel", true,
			"+d", param.Of("do>", "1"), "+e", param.Of("do>", "2"), "+f", param.Of("do>", "3"))))
	if got := result(t, started); got != "success" {
		t.Fatalf("the attempt ended as %s, want success", got)
	}
	first := <-leases
	if first.FullName != "+w+a" || first.Context.Project.Name != "etl" || first.Context.Session.UUID != "u" || first.Zone.String() != "UTC+09:00" ||
		!first.Context.Session.Time.Equal(f.context.Session.Time.Add(time.Hour)) || first.Try != 1 {
		t.Errorf("lease = %+v of %+v", first, first.Context)
	}
	second := <-leases
	if value, _ := second.Scope.Get("last"); value != "x!" {
		t.Errorf("last = %v in the second task, want what the first has stored", value)
	}
	if value, _ := second.Scope.Get("big"); value != int64(1)<<60 {
		t.Errorf("big = %v, want an integer", value)
	}
	tries := f.tries(t, started.Attempt.ID)
	if len(tries) != 5 {
		t.Fatalf("%d tries, want 5", len(tries))
	}
	for i := range tries {
		try := &tries[i]
		if try.Exit != trowel.ExitSuccess || try.StartedAt.Before(try.ClaimedAt.Add(-time.Second)) || try.EndedAt.Before(try.StartedAt) || time.Since(try.EndedAt) > time.Minute {
			t.Errorf("try = %+v", try)
		}
	}
}

// Failures, retries and polls are reported unchanged.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	f.connect(t, func(_ context.Context, r *operator.Request) (operator.Outcome, error) {
		if r.State.Len() == 0 {
			return operator.Outcome{Again: &operator.Again{After: time.Millisecond, State: param.Of("n", 1)}}, nil
		}
		return operator.Outcome{}, errors.New("no luck")
	}, nil, h.URL)
	started := h.start(t, one("x"))
	if got := result(t, started); got != "error" {
		t.Fatalf("the attempt ended as %s, want error", got)
	}
	var exits []string
	for _, try := range f.tries(t, started.Attempt.ID) {
		exits = append(exits, try.FullName+" "+try.Exit)
	}
	if diff := cmp.Diff([]string{"+w+a poll", "+w+a error"}, exits[:2]); diff != "" {
		t.Errorf("tries (-want +got):\n%s", diff)
	}
}

// A kill on the server ends what runs on the agent.
func TestKill(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	begun := make(chan struct{}, 1)
	f.connect(t, func(ctx context.Context, _ *operator.Request) (operator.Outcome, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return operator.Outcome{}, context.Cause(ctx)
	}, nil, h.URL)
	started := h.start(t, one("x"))
	within(t, begun, "the task")
	if err := h.flusher.Kill(t.Context(), started.Attempt.ID, "test"); err != nil {
		t.Fatal(err)
	}
	if got := result(t, started); got != "killed" {
		t.Errorf("the attempt ended as %s, want killed", got)
	}
}

// What a task runs goes on while its server is away, and its result is taken by the next one.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.serve(t, "s1", "")
	address := first.Listener.Addr().String()
	begun, finish := make(chan struct{}, 8), make(chan struct{})
	var runs atomic.Int32
	f.connect(t, func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
		if r.Lease.FullName == "+w+a" {
			runs.Add(1)
			begun <- struct{}{}
			select {
			case <-finish:
			case <-ctx.Done():
				return operator.Outcome{}, context.Cause(ctx)
			}
		}
		return operator.Outcome{}, nil
	}, nil, first.URL)
	started := first.start(t, param.Of("+a", param.Of("do>", "x"), "+b", param.Of("do>", "y")))
	within(t, begun, "the task")
	first.stop()
	close(finish) // it ends while there is no server
	second := f.serve(t, "s2", address)
	waitDone(t, f, started.Attempt.ID)
	if runs.Load() != 1 {
		t.Errorf("the task ran %d times, want once", runs.Load())
	}
	for _, try := range f.tries(t, started.Attempt.ID) {
		if try.Number != 1 || try.Exit != trowel.ExitSuccess {
			t.Errorf("try = %+v, want the first one with success", try)
		}
	}
	again := second.start(t, one("z"))
	if got := result(t, again); got != "success" {
		t.Errorf("the next attempt ended as %s, want success", got)
	}
}

// waitDone returns when an attempt is done, whoever serves it.
func waitDone(t *testing.T, f *fixture, id trowel.AttemptID) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	limit := time.After(30 * time.Second)
	for {
		var flags trowel.AttemptFlags
		trowtest.View(t, f.store, func(tx trowel.Tx) error {
			a, err := tx.FindAttempt(t.Context(), id)
			if err == nil {
				flags = a.Flags
			}
			return err
		})
		if flags&trowel.AttemptDone != 0 {
			return
		}
		select {
		case <-ticker.C:
		case <-limit:
			t.Fatalf("attempt %d does not end", id)
		}
	}
}

// An agent goes to the next server when its own is about to end, and takes tasks there at once.
func TestServerLeaves(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first, second := f.serve(t, "s1", ""), f.serve(t, "s2", "")
	f.connect(t, done, nil, first.URL, second.URL)
	if got := result(t, first.start(t, one("x"))); got != "success" {
		t.Fatalf("the attempt ended as %s, want success", got)
	}
	first.flusher.StopClaiming()
	first.hub.Drain()
	if got := result(t, second.start(t, one("y"))); got != "success" {
		t.Errorf("the attempt ended as %s, want success", got)
	}
}

// A result is still on its way to the first server when the agent is connected to the next one, which has
// heard that the agent has the try. As soon as the result is stored the slot is free there: no heartbeat is waited for.
func TestReportOvertaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lease, f.beat = time.Hour, time.Hour
	first, second := f.serve(t, "s1", ""), f.serve(t, "s2", "")
	came, connected, release := make(chan struct{}, 8), make(chan struct{}, 8), make(chan struct{})
	hold := func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if isPath(r, "/reports") {
			came <- struct{}{}
			<-release
		}
		next.ServeHTTP(rw, r)
	}
	first.hurt.Store(&hold)
	notice := func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if isPath(r, "/leases") {
			rw = noticed{rw, connected}
		}
		next.ServeHTTP(rw, r)
	}
	second.hurt.Store(&notice)
	f.connect(t, done, func(o *remote.Options, _ *agent.Options) { o.Self.Slots = 1 }, first.URL, second.URL)
	one, two := first.start(t, one("x")), second.start(t, one("y"))
	within(t, came, "the result")
	first.flusher.StopClaiming()
	first.hub.Drain()
	within(t, connected, "the agent at the second server")
	close(release)
	if got := result(t, one); got != "success" {
		t.Errorf("the first attempt ended as %s, want success", got)
	}
	if got := result(t, two); got != "success" {
		t.Errorf("the second attempt ended as %s, want success", got)
	}
}

// noticed is an answer that tells when it begins.
type noticed struct {
	http.ResponseWriter

	begun chan<- struct{}
}

func (n noticed) Write(data []byte) (int, error) {
	select {
	case n.begun <- struct{}{}:
	default:
	}
	return n.ResponseWriter.Write(data)
}

// Unwrap is for http.ResponseController.
func (n noticed) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// A report whose answer is lost is sent again and taken for what it is.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lease = time.Minute // a busy machine must not lose it: the try would run again
	h := f.serve(t, "s1", "")
	var cut atomic.Int32
	hurt := func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if isPath(r, "/reports") && cut.Add(1) <= 2 {
			next.ServeHTTP(discard{http.Header{}}, r)
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(rw, r)
	}
	h.hurt.Store(&hurt)
	var runs atomic.Int32
	m := f.connect(t, func(context.Context, *operator.Request) (operator.Outcome, error) {
		runs.Add(1)
		return operator.Outcome{}, nil
	}, nil, h.URL)
	started := h.start(t, param.Of("+a", param.Of("do>", "x"), "+b", param.Of("do>", "y")))
	if got := result(t, started); got != "success" {
		t.Errorf("the attempt ended as %s, want success", got)
	}
	if err := m.link.AwaitReports(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(f.tries(t, started.Attempt.ID)); n != 2 || runs.Load() != 2 || cut.Load() < 3 {
		t.Errorf("%d tries, %d runs, %d requests; want 2 tries, run once each, and reports sent again", n, runs.Load(), cut.Load())
	}
}

// discard is an answer that nobody gets.
type discard struct{ header http.Header }

func (d discard) Header() http.Header              { return d.header }
func (d discard) Write(data []byte) (int, error)   { return len(data), nil }
func (d discard) WriteHeader(int)                  {}
func (d discard) Flush()                           {}
func (d discard) SetWriteDeadline(time.Time) error { return nil }

// A lease that is lost on the way comes again, as the same try.
func TestLostLease(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	var cut atomic.Int32
	hurt := func(rw http.ResponseWriter, r *http.Request, next http.Handler) {
		if isPath(r, "/leases") {
			rw = &cutting{ResponseWriter: rw, cut: &cut}
		}
		next.ServeHTTP(rw, r)
	}
	h.hurt.Store(&hurt)
	f.connect(t, done, nil, h.URL)
	started := h.start(t, one("x"))
	if got := result(t, started); got != "success" {
		t.Errorf("the attempt ended as %s, want success", got)
	}
	tries := f.tries(t, started.Attempt.ID)
	if len(tries) != 1 || tries[0].Number != 1 || cut.Load() < 2 {
		t.Errorf("tries = %+v after %d cuts, want the first try alone", tries, cut.Load())
	}
}

// cutting breaks off the first two messages with a lease.
type cutting struct {
	http.ResponseWriter

	cut *atomic.Int32
}

func (c *cutting) Write(data []byte) (int, error) {
	if strings.Contains(string(data), `"leases"`) && c.cut.Add(1) <= 2 {
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(data)
}

func (c *cutting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// An agent whose lease has ended stops what it runs, which is run again, and goes on under another id. What
// it says of the lost try is not heard.
func TestLeaseLost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	ended := make(chan error, 4)
	begun := make(chan *trowel.Lease, 4)
	m := f.connect(t, func(ctx context.Context, r *operator.Request) (operator.Outcome, error) {
		begun <- r.Lease
		if r.Lease.Try > 1 {
			return operator.Outcome{}, nil
		}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return operator.Outcome{}, nil // it says that all is well
	}, nil, h.URL)
	started := h.start(t, one("x"))
	first := within(t, begun, "the first try")
	f.update(t, func(tx trowel.Tx) error { return tx.DeleteAgent(t.Context(), m.id) })
	if err := within(t, ended, "the end of the lost try"); !errors.Is(err, agent.ErrLost) {
		t.Errorf("the try ended with %v, want ErrLost", err)
	}
	second := within(t, begun, "the second try")
	if second.Try != 2 || second.AgentID == first.AgentID {
		t.Errorf("try %d by agent %s after %s, want the second by another id", second.Try, second.AgentID, first.AgentID)
	}
	if got := result(t, started); got != "success" {
		t.Errorf("the attempt ended as %s, want success", got)
	}
	tries := f.tries(t, started.Attempt.ID)
	if len(tries) != 2 || tries[0].Exit != trowel.ExitLost || tries[1].Exit != trowel.ExitSuccess {
		t.Errorf("tries = %+v, want a lost one and a success", tries)
	}
}

// An agent that ends in order runs what it has, takes nothing new and deletes its row.
func TestLeave(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	begun, finish := make(chan struct{}, 4), make(chan struct{})
	m := f.connect(t, func(context.Context, *operator.Request) (operator.Outcome, error) {
		begun <- struct{}{}
		<-finish
		return operator.Outcome{}, nil
	}, nil, h.URL)
	started := h.start(t, param.Of("+a", param.Of("do>", "x"), "+b", param.Of("do>", "y")))
	within(t, begun, "the first task")
	m.link.Drain()
	m.agent.Drain()
	close(finish)
	m.agent.Wait()
	if err := m.link.AwaitReports(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := m.link.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if tries := f.tries(t, started.Attempt.ID); len(tries) == 0 || tries[0].Exit != trowel.ExitSuccess || tries[0].Number != 1 {
		t.Errorf("tries = %+v, want the first with success", tries)
	}
	err := f.store.View(t.Context(), func(tx trowel.Tx) error {
		_, err := tx.FindAgent(t.Context(), m.id)
		return err
	})
	if !errors.Is(err, trowel.ErrNotFound) {
		t.Errorf("FindAgent: %v, want that it is gone", err)
	}
	m.stop()
	f.connect(t, done, nil, h.URL)
	if got := result(t, started); got != "success" {
		t.Errorf("the attempt ended as %s, want success with the next agent", got)
	}
}

// An agent that is drained gets nothing, and goes on when it is no longer.
func TestDrained(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.lease = time.Minute // a busy machine must not lose it
	h := f.serve(t, "s1", "")
	drained := f.connect(t, func(context.Context, *operator.Request) (operator.Outcome, error) {
		return operator.Outcome{Result: trowel.Result{Store: param.Of("by", "drained")}}, nil
	}, nil, h.URL)
	f.update(t, func(tx trowel.Tx) error { return tx.DrainAgent(t.Context(), drained.id, time.Now()) })
	h.hub.AgentsChanged()
	started := h.start(t, one("x"))
	other := f.connect(t, done, nil, h.URL)
	if got := result(t, started); got != "success" {
		t.Fatalf("the attempt ended as %s, want success", got)
	}
	if tries := f.tries(t, started.Attempt.ID); len(tries) != 1 || tries[0].AgentID != other.id {
		t.Errorf("tries = %+v, want one by the agent that is not drained", tries)
	}
	other.stop()
	f.update(t, func(tx trowel.Tx) error { return tx.DrainAgent(t.Context(), other.id, time.Now()) })
	f.update(t, func(tx trowel.Tx) error { return tx.DrainAgent(t.Context(), drained.id, time.Time{}) })
	h.hub.AgentsChanged()
	if got := result(t, h.start(t, one("y"))); got != "success" {
		t.Errorf("the attempt ended as %s, want success", got)
	}
}

// A result that is larger than the server takes is a failure that says so, and much output goes before it.
func TestLargeResult(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := f.serve(t, "s1", "")
	f.connect(t, func(context.Context, *operator.Request) (operator.Outcome, error) {
		return operator.Outcome{Result: trowel.Result{Store: param.Of("text", strings.Repeat("x", maxReport))}}, nil
	}, func(_ *remote.Options, a *agent.Options) {
		open := a.OpenLog
		a.OpenLog = func(lease *trowel.Lease) agent.Log {
			log := open(lease)
			log.Remainder = func() (chunks []trowel.LogChunk) {
				random := make([]byte, 60<<10) // does not become smaller
				_, _ = rand.Read(random)
				for i := range 8 {
					data, size := zipped(string(random))
					chunks = append(chunks, trowel.LogChunk{
						AttemptID: lease.AttemptID, File: lease.FullName + "@0000000000000000.a1.log.gz", Seq: i, Offset: int64(i) * size, TextBytes: size,
						Data: data, DataBytes: int64(len(data)),
					})
				}
				return chunks
			}
			return log
		}
	}, h.URL)
	started := h.start(t, one("x"))
	if got := result(t, started); got != "error" {
		t.Fatalf("the attempt ended as %s, want error", got)
	}
	trowtest.View(t, f.store, func(tx trowel.Tx) error {
		tasks, err := tx.ListArchivedTasks(t.Context(), started.Attempt.ID)
		if err != nil {
			return err
		}
		message, _ := tasks[1].Error.Get("message")
		if text, _ := message.(string); !strings.Contains(text, "the result of the task has") {
			t.Errorf("error = %v, want one that tells of the size", message)
		}
		chunks, err := tx.ListLogChunks(t.Context(), started.Attempt.ID, "+w+a@0000000000000000.a1.log.gz", 0, 100, false)
		if len(chunks) != 8 {
			t.Errorf("%d pieces of output are stored, want 8", len(chunks))
		}
		return err
	})
}
