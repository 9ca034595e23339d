package flush_test

import (
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// A task that needs two slots gets them although chains of tasks want one each, whose next task becomes ready in the
// transaction that gives a slot back (control K808).
func TestWideTaskIsNotStarved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from, wide := time.Now(), make(chan time.Duration, 1)
		agent := many(func(l *trowel.Lease) trowel.Report {
			if l.FullName == "+w+wide" {
				wide <- time.Since(from)
			}
			<-time.After(time.Second)
			return trowtest.Success(l)
		})
		f := begun(t, agent, &trowel.Pool{Name: "two", Slots: 2})
		chain := group(100, "_pool", "two")
		first := f.Begin(0, chain)
		<-time.After(500 * time.Millisecond)
		second := f.Begin(time.Second, chain)
		third := f.Begin(time.Minute, param.Of("+wide", param.Of("echo>", 1, "_pool", param.Of("name", "two", "slots", 2))))
		if took := <-wide; took > 65*time.Second {
			t.Errorf("the wide task was claimed after %v, want about a minute", took)
		}
		for _, ended := range []chan trowel.Attempt{first.Ended, second.Ended, third.Ended} {
			<-ended
		}
		checkCounters(t, f)
	})
}
