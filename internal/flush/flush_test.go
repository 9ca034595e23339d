package flush_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
)

// scripted is an agent that answers every lease at once, as run says.
type scripted struct {
	flusher *flush.Flusher
	name    string
	room    int
	run     func(*trowel.Lease) trowel.Report

	mu       sync.Mutex
	given    int
	finished chan *trowel.Lease
}

func (a *scripted) ID() string { return a.name }

func (a *scripted) Free() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.room - a.given
}

func (a *scripted) Assign(leases []*trowel.Lease) {
	a.mu.Lock()
	a.given += len(leases)
	a.mu.Unlock()
	for _, l := range leases {
		a.finished <- l
	}
}

func (a *scripted) Cancel([]trowel.TryID) {}

func (a *scripted) work() {
	for l := range a.finished {
		r := a.run(l)
		r.TaskID, r.AttemptID, r.Try = l.TaskID, l.AttemptID, l.Try
		a.mu.Lock()
		a.given--
		a.mu.Unlock()
		a.flusher.Report(r)
	}
}

// begin runs a flusher on a store in memory, with an agent that has much room.
func begin(tb testing.TB, run func(*trowel.Lease) trowel.Report) (*flush.Flusher, trowel.Store, trowel.AttemptContext) {
	tb.Helper()
	return beginWith(tb, run, func(*flush.Options, *scripted) {})
}

func beginWith(tb testing.TB, run func(*trowel.Lease) trowel.Report, change func(*flush.Options, *scripted)) (*flush.Flusher, trowel.Store, trowel.AttemptContext) {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	db, closeStore := openStore(tb)
	agent := &scripted{name: "scripted", room: 256, run: run, finished: make(chan *trowel.Lease, 512)}
	opts := flush.Options{
		Store: db, Agent: agent, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Limits: engine.Limits{Tasks: 1 << 30}, Attempts: 100,
	}
	change(&opts, agent)
	agent.flusher = flush.New(opts)
	var running sync.WaitGroup
	running.Go(func() {
		if err := agent.flusher.Run(ctx); !errors.Is(err, context.Canceled) {
			tb.Errorf("flusher: %v", err)
		}
	})
	running.Go(agent.work)
	tb.Cleanup(func() {
		cancel()
		close(agent.finished)
		running.Wait()
		closeStore()
	})
	now := time.Now()
	setting := trowel.AttemptContext{
		Project:  trowel.Project{Name: "default", CreatedAt: now},
		Revision: trowel.Revision{Name: now.Format(time.RFC3339Nano), CreatedAt: now},
	}
	workflow := &trowel.Workflow{Name: "w", Zone: "UTC"}
	err := db.Update(ctx, func(tx trowel.Tx) error {
		return tx.InsertRevision(ctx, &setting.Project, &setting.Revision, []*trowel.Workflow{workflow})
	})
	if err != nil {
		tb.Fatal(err)
	}
	setting.Workflow = *workflow
	setting.Session = trowel.Session{ProjectID: setting.Project.ID, Workflow: "w", Time: time.Unix(1705276800, 0), UUID: "u"}
	return agent.flusher, db, setting
}

func request(tb testing.TB, setting trowel.AttemptContext, body *param.Map) flush.Start {
	tb.Helper()
	tasks, err := dig.Compile("", "+w", body)
	if err != nil {
		tb.Fatal(err)
	}
	return flush.Start{Context: setting, Tasks: tasks, Attempt: trowel.Attempt{
		WorkflowID: setting.Workflow.ID, Zone: "UTC", Cause: "test", Actor: "test",
	}}
}

func BenchmarkParallel20000(b *testing.B) {
	body := param.Of("_parallel", true)
	for i := range 20000 {
		body.Set(fmt.Sprintf("+t%d", i), param.Of("echo>", "hello"))
	}
	for b.Loop() {
		b.StopTimer()
		f, _, setting := begin(b, func(*trowel.Lease) trowel.Report { return trowel.Report{Outcome: trowel.OutcomeSuccess} })
		req := request(b, setting, body)
		b.StartTimer()
		started, err := f.Start(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		if a := <-started.Ended; a.Flags.Status() != "success" {
			b.Fatalf("attempt ended as %s, want success", a.Flags.Status())
		}
	}
	b.ReportMetric(20000*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

func BenchmarkChain(b *testing.B) {
	body := param.New()
	for i := range 200 {
		body.Set(fmt.Sprintf("+t%d", i), param.Of("echo>", "hello"))
	}
	f, _, setting := begin(b, func(*trowel.Lease) trowel.Report { return trowel.Report{Outcome: trowel.OutcomeSuccess} })
	n := 0
	for b.Loop() {
		n++
		setting.Session.Time = setting.Session.Time.Add(time.Second)
		started, err := f.Start(b.Context(), request(b, setting, body))
		if err != nil {
			b.Fatal(err)
		}
		<-started.Ended
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(200*n), "µs/task")
}

func (*scripted) Serves(*trowel.Requirements) bool { return true }
func (*scripted) Remote() bool                     { return false }
