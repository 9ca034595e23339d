package operator_test

import (
	"sync"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

// BenchmarkSh runs 800 scripts at a time, each as an agent would. Compare with BenchmarkRawExec of package
// command.
func BenchmarkSh(b *testing.B) {
	project := b.TempDir()
	shared := newFixtureIn(b, project, nil)
	var work sync.WaitGroup
	gate := make(chan struct{}, 800)
	for range b.N {
		gate <- struct{}{}
		work.Go(func() {
			f := newFixtureIn(b, project, param.Of("sh>", "true"))
			for i := range 20 {
				f.With("session_variable_"+string(rune('a'+i)), "2024-01-15T00:00:00+00:00")
			}
			f.Table, f.Request.Commands = shared.Table, shared.Request.Commands
			if _, err := f.Run(); err != nil {
				b.Error(err)
			}
			<-gate
		})
	}
	work.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commands/s")
}
