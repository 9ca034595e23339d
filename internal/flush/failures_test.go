package flush_test

import (
	"testing"
	"testing/synctest"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// Tasks that end in an error leave their cause, those that fail alike in one row, and not the groups above.
func TestFailuresAreStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := begin(t, func(l *trowel.Lease) trowel.Report {
			r := trowtest.Success(l)
			if l.FullName == "+w+good" || l.FullName == "+w^failure-alert" {
				return r
			}
			r.Outcome = trowel.OutcomeFailure
			r.Error = trowel.ErrorObject("no table 'x"+l.FullName[len(l.FullName)-1:]+"'", "runtime")
			if l.FullName == "+w+c" {
				r.Error = trowel.ErrorObject("no such host", "")
			}
			r.LastLines = []string{"the last line"}
			return r
		})
		started := f.Begin(0, param.Of("_parallel", true,
			"+a", param.Of("sh>", "a"), "+b", param.Of("sh>", "b", "_error", param.Of("+e", param.Of("sh>", "x"))), "+c", param.Of("sh>", "c"), "+good", param.Of("sh>", "d")))
		if got := f.Status(started); got != "error" {
			t.Errorf("attempt ended as %s, want error", got)
		}
		var list []trowel.FailureSample
		trowtest.View(t, f.Store, func(tx trowel.Tx) (err error) {
			list, err = tx.ListFailures(t.Context(), started.Attempt.ID, 100)
			return err
		})
		tasks := map[string]int{}
		for _, row := range list {
			tasks[row.Message] += row.Tasks
			if row.Operator != "sh" || row.Workflow != "w" || row.Try != 1 || len(row.LastLines) != 1 || row.At.IsZero() {
				t.Errorf("failure %+v", row)
			}
		}
		quoted := tasks["no table 'xa' (runtime)"] + tasks["no table 'xb' (runtime)"] + tasks["no table 'xe' (runtime)"]
		if quoted != 3 || tasks["no such host"] != 1 || len(list) > 4 {
			t.Errorf("failures %v, want three for one cause and one for another", tasks)
		}
	})
}
