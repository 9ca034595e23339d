package flush_test

import (
	"testing"
	"testing/synctest"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// What becomes ready as a task fails for a full limit needs a pool that its transaction has not locked: the
// pool holds (control K809), and what a task above gives back is counted.
func TestFailuresForLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := many(func(l *trowel.Lease) trowel.Report {
			r := trowtest.Success(l)
			switch l.FullName {
			case "+w+pool+a", "+w+pool+b", "+w+holds":
				<-time.After(10 * time.Millisecond)
			case "+w+over":
				r.Result.Subtasks = param.Of("+full", param.Of("echo>", 1, "_concurrency", param.Of("limit", 1, "key", "k", "on_limit", "fail")))
			}
			return r
		})
		agent.CountBy = func(l *trowel.Lease) string {
			if pool, ok := l.Local.Get("pool"); ok {
				return pool.(string) //nolint:forcetypeassert // as it is written below
			}
			return "none"
		}
		f := begun(t, agent, &trowel.Pool{Name: "one", Slots: 1})
		fails := param.Of("limit", 1, "key", "k", "on_limit", "fail")
		started := f.Begin(0, param.Of("_parallel", true,
			"+pool", param.Of("_parallel", true, "+a", param.Of("echo>", 1, "pool", "one", "_pool", "one"), "+b", param.Of("echo>", 1, "pool", "one", "_pool", "one")),
			"+holds", param.Of("echo>", 1, "_concurrency", fails),
			"+later", param.Of("+first", param.Of("echo>", 1),
				"+fails", param.Of("echo>", 1, "_concurrency", fails, "_error", param.Of("+e", param.Of("echo>", 1, "pool", "one", "_pool", "one")))),
			"+over", param.Of("echo>", 1, "_concurrency", param.Of("limit", 3, "key", "over"))))
		if got := f.Status(started); got != "error" {
			t.Errorf("attempt ended as %s, want error", got)
		}
		if got := agent.Peaks(); got["one"] != 1 {
			t.Errorf("%d tasks of a pool of one slot ran at the same time", got["one"])
		}
		checkCounters(t, f)
	})
}
