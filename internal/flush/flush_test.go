package flush_test

import (
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// newFixture is trowtest.New on the database that flags choose.
func newFixture(tb testing.TB, opts trowtest.Options) *trowtest.Fixture {
	tb.Helper()
	if opts.Store == nil {
		opts.Store = openStore(tb)
	}
	return trowtest.New(tb, opts)
}

// begin runs a flusher with an agent that does one try after the other.
func begin(tb testing.TB, work func(*trowel.Lease) trowel.Report) *trowtest.Fixture {
	tb.Helper()
	return beginWith(tb, work, nil)
}

// beginWith is begin with other options of the flusher.
func beginWith(tb testing.TB, work func(*trowel.Lease) trowel.Report, change func(o *flush.Options)) *trowtest.Fixture {
	tb.Helper()
	return newFixture(tb, trowtest.Options{Agent: &trowtest.Agent{Name: "agent", Slots: 256, Work: work}, Flusher: change})
}

// beginWithoutRoom is beginWith with an agent that takes nothing.
func beginWithoutRoom(tb testing.TB, change func(o *flush.Options)) *trowtest.Fixture {
	tb.Helper()
	return newFixture(tb, trowtest.Options{Agent: &trowtest.Agent{Name: "agent"}, Flusher: change})
}

func BenchmarkParallel20000(b *testing.B) {
	body := param.Of("_parallel", true)
	for i := range 20000 {
		body.Set(fmt.Sprintf("+t%d", i), param.Of("echo>", "hello"))
	}
	for b.Loop() {
		b.StopTimer()
		f := begin(b, trowtest.Success)
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
	b.ReportMetric(20000*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

func BenchmarkChain(b *testing.B) {
	body := param.New()
	for i := range 200 {
		body.Set(fmt.Sprintf("+t%d", i), param.Of("echo>", "hello"))
	}
	f := begin(b, trowtest.Success)
	n := 0
	for b.Loop() {
		n++
		<-f.Begin(time.Duration(n)*time.Second, body).Ended
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(200*n), "µs/task")
}
