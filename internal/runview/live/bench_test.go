package live

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/runview"
	"github.com/trowel-project/trowel/internal/runview/viewtest"
	"github.com/trowel-project/trowel/internal/terminal"
)

// What 100,000 tasks cost the live display: their changes, and a frame in the middle of them.
func BenchmarkLiveTree(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		batch := viewtest.BenchBatch(n)
		b.Run(fmt.Sprintf("changes/%d", n), func(b *testing.B) {
			for b.Loop() {
				tree := newLiveTree(batch.At)
				for i := range batch.Changes {
					tree.apply(&batch.Changes[i], batch.At)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*len(batch.Changes)), "ns/change")
		})
		b.Run(fmt.Sprintf("frame/%d", n), func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			tree := newLiveTree(batch.At)
			half := 2 + n + 3*n/2
			for i := range batch.Changes[:half] {
				tree.apply(&batch.Changes[i], batch.At)
			}
			for i := half; i < half+300; i += 3 { // a hundred run
				tree.apply(&batch.Changes[i+1], batch.At)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			look := terminal.Look{Color: true, Signs: terminal.UnicodeSigns()}
			for b.Loop() {
				tree.draw(&look, time.Second, 120, 40, 0)
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/task")
		})
	}
}

// Output of a task through the whole display, to a terminal that accepts everything.
func BenchmarkLive(b *testing.B) {
	look := terminal.NewLook(func(string) (string, bool) { return "", false })
	l := New(Options{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now, Look: look})
	l.Begin(runview.Begin{Workflow: "w"})
	out := l.Open(&trowel.Lease{FullName: "+w+a"})
	data := make([]byte, 0, 32<<10)
	for len(data) < 32<<10-80 {
		data = append(data, "a line of output that is as long as such lines are, with a number 12345\n"...)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := out.Write(data); err != nil {
			b.Fatal(err)
		}
	}
	l.End(runview.End{Status: "success"})
}
