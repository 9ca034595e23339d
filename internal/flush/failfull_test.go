package flush_test

import (
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// What becomes ready as a task fails for a full limit needs a pool that its transaction has not locked: the
// pool holds (control K809), and what a task above gives back is counted.
func TestFailuresForLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGauge(func(l *trowel.Lease) string {
			if pool, ok := l.Local.Get("pool"); ok {
				return pool.(string) //nolint:forcetypeassert // as it is written below
			}
			return "none"
		})
		agent := &crowd{id: "many", slots: 50, gauge: g}
		agent.run = func(l *trowel.Lease) trowel.Report {
			r := success(l)
			switch l.FullName {
			case "+w+pool+a", "+w+pool+b", "+w+holds":
				<-time.After(10 * time.Millisecond)
			case "+w+over":
				r.Result.Subtasks = param.Of("+full", param.Of("echo>", 1, "_concurrency", param.Of("limit", 1, "key", "k", "on_limit", "fail")))
			}
			return r
		}
		l := begun(t, agent, &trowel.Pool{Name: "one", Slots: 1})
		fails := param.Of("limit", 1, "key", "k", "on_limit", "fail")
		started := start(t, l.Flusher, l.setting, 0, param.Of("_parallel", true,
			"+pool", param.Of("_parallel", true, "+a", param.Of("echo>", 1, "pool", "one", "_pool", "one"), "+b", param.Of("echo>", 1, "pool", "one", "_pool", "one")),
			"+holds", param.Of("echo>", 1, "_concurrency", fails),
			"+later", param.Of("+first", param.Of("echo>", 1),
				"+fails", param.Of("echo>", 1, "_concurrency", fails, "_error", param.Of("+e", param.Of("echo>", 1, "pool", "one", "_pool", "one")))),
			"+over", param.Of("echo>", 1, "_concurrency", param.Of("limit", 3, "key", "over"))))
		if got := end(t, started).Flags.Status(); got != "error" {
			t.Errorf("attempt ended as %s, want error", got)
		}
		if got := g.peaks(); got["one"] != 1 {
			t.Errorf("%d tasks of a pool of one slot ran at the same time", got["one"])
		}
		l.settled(t)
	})
}
