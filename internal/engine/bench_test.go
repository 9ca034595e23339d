package engine_test

import (
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/param"
)

// Claims, leases and reports of a whole attempt, without a store.
func BenchmarkAttempt(b *testing.B) {
	for _, row := range []struct {
		name    string
		tasks   int
		options []any
		store   bool
	}{
		{"parallel", 20_000, []any{"_parallel", true}, false},
		{"chunks", 20_000, []any{"_parallel", param.Of("limit", 100)}, false},
		{"chain", 20_000, nil, false},
		{"chain of stores", 20_000, nil, true},
		{"background", 20_000, nil, false},
	} {
		b.Run(row.name, func(b *testing.B) {
			body := param.Of(row.options...)
			for i := range row.tasks {
				task := param.Of("echo>", "hello")
				if row.name == "background" && i%2 == 0 {
					task.Set("_background", true)
				}
				body.Set(fmt.Sprintf("+t%d", i), task)
			}
			tasks, err := dig.Compile("", "+w", body)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				benchmarkTasks(b, tasks, row.store)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(row.tasks*b.N), "µs/task")
		})
	}
}

func benchmarkTasks(b *testing.B, tasks []dig.Task, store bool) {
	b.Helper()
	attempt, setting := testSetting()
	limits := engine.Limits{Tasks: 1 << 30}
	at := time.Unix(1705276800, 0)
	img, _, err := engine.Start(attempt, setting, engine.Begin{Tasks: tasks}, at, sequence{}, limits)
	if err != nil {
		b.Fatal(err)
	}
	for {
		id, ok := img.NextReady()
		if !ok {
			break
		}
		img.Apply(engine.Claim{Task: id}, at, sequence{}, limits)
		lease := img.Lease(id)
		r := trowel.Report{TaskID: id, Try: 1, Outcome: trowel.OutcomeSuccess}
		if store {
			r.Result.Store = param.Of("last", lease.FullName)
		}
		img.Apply(engine.Report{Report: r}, at, sequence{}, limits)
	}
	if !img.Done() {
		b.Fatal("the attempt is not done")
	}
}

// A refresh costs what changed, not what there is.
func BenchmarkRefresh(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		body := param.Of("_parallel", true)
		for i := range n {
			body.Set(fmt.Sprintf("+t%d", i), param.Of("op>", 1))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tasks, err := dig.Compile("", "+w", body)
			if err != nil {
				b.Fatal(err)
			}
			attempt, setting := testSetting()
			img, _, err := engine.Start(attempt, setting, engine.Begin{Tasks: tasks}, time.Unix(1705276800, 0), sequence{}, engine.Limits{Tasks: n + 2})
			if err != nil {
				b.Fatal(err)
			}
			rows := img.List()
			next := 1
			for b.Loop() {
				row := *rows[1+next%n]
				next++
				row.State, row.Version = trowel.TaskRunning, img.Attempt.Version+1
				attempt.Version = row.Version
				img.Refresh(attempt, []*trowel.Task{&row})
			}
		})
	}
}
