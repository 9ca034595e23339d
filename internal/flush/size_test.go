package flush_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// group makes a body of n tasks that do nothing.
func group(n int, options ...any) *param.Map {
	body := param.Of(options...)
	for i := range n {
		body.Set(fmt.Sprintf("+task%d", i), param.Of("echo>", "hello"))
	}
	return body
}

// benchmarkAttempt measures attempts with so many tasks.
func benchmarkAttempt(b *testing.B, tasks int, body *param.Map, run func(*trowel.Lease) trowel.Report) {
	b.Helper()
	for b.Loop() {
		b.StopTimer()
		f := begin(b, run)
		req := f.Request(body)
		b.StartTimer()
		started, err := f.Start(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		if a := <-started.Ended; a.Flags.Status() != "success" {
			b.Fatalf("attempt ended as %s, want success", a.Flags.Status())
		}
	}
	b.ReportMetric(float64(tasks*b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// Time must grow as the number of tasks does.
func BenchmarkParallel(b *testing.B) {
	for _, n := range []int{10_000, 50_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkAttempt(b, n, group(n, "_parallel", true), trowtest.Success) })
	}
}

func BenchmarkChunks(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		body := group(n, "_parallel", param.Of("limit", 100))
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkAttempt(b, n, body, trowtest.Success) })
	}
}

// A chain whose tasks all store something: the last one sees what all have stored.
func BenchmarkChainOfStores(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkAttempt(b, n, group(n), func(l *trowel.Lease) trowel.Report {
				store := param.Of("last", l.FullName, "count", int64(l.TaskID))
				return trowel.Report{Outcome: trowel.OutcomeSuccess, Result: trowel.Result{Store: store}}
			})
		})
	}
}

// A loop that generates its tasks in one go.
func BenchmarkGenerated(b *testing.B) {
	const n = 20_000
	sub := group(n, "_parallel", true)
	benchmarkAttempt(b, n, param.Of("+loop", param.Of("loop>", n)), func(l *trowel.Lease) trowel.Report {
		r := trowel.Report{Outcome: trowel.OutcomeSuccess}
		if l.FullName == "+w+loop" {
			r.Result.Subtasks = sub
		}
		return r
	})
}

// Many small attempts at the same time.
func BenchmarkAttempts(b *testing.B) {
	f := begin(b, trowtest.Success)
	body := group(10)
	const n = 100
	for b.Loop() {
		ends := make([]chan trowel.Attempt, n)
		for i := range ends {
			f.Context.Session.Time = f.Context.Session.Time.Add(time.Second)
			started, err := f.Start(b.Context(), f.Request(body))
			if err != nil {
				b.Fatal(err)
			}
			ends[i] = started.Ended
		}
		for _, ended := range ends {
			<-ended
		}
	}
	b.ReportMetric(float64(n*10*b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// A chain of tasks beside many attempts that wait must cost no more than beside one.
func BenchmarkBesideWaiting(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := beginWith(b, func(l *trowel.Lease) trowel.Report {
				if l.FullName == "+w+wait" {
					return trowel.Report{Outcome: trowel.OutcomePoll, RetryIn: 1000 * time.Hour}
				}
				return trowtest.Success(l)
			}, func(o *flush.Options) {
				o.Attempts = n + 2
				o.TTLs = engine.TTLs{Attempt: 7 * 24 * time.Hour, Task: 24 * time.Hour}
			})
			wait := param.Of("+wait", param.Of("wait>", 1))
			var starting sync.WaitGroup
			some := make(chan struct{}, 100)
			for range n {
				f.Context.Session.Time = f.Context.Session.Time.Add(time.Second)
				req := f.Request(wait)
				some <- struct{}{}
				starting.Go(func() {
					if _, err := f.Start(b.Context(), req); err != nil {
						b.Error(err)
					}
					<-some
				})
			}
			starting.Wait()
			const chain = 100
			body := group(chain)
			for b.Loop() {
				f.Context.Session.Time = f.Context.Session.Time.Add(time.Second)
				started, err := f.Start(b.Context(), f.Request(body))
				if err != nil {
					b.Fatal(err)
				}
				<-started.Ended
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(chain*b.N), "µs/task")
		})
	}
}
