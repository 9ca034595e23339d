package flush_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Limits of commands reach the agent with the lease: inherited part by part, with their expressions evaluated once for all tries
// (control K106, K109, K823). Wrong values fail the task, and its _error runs.
func TestLimitsOfCommands(t *testing.T) {
	t.Parallel()
	limits := param.Of("memory", "1GiB", "cpu", 1.5)
	for _, row := range []struct {
		name   string
		task   *param.Map
		want   string // of the lease
		status string
	}{
		{"inherited", param.Of("echo>", 1), `{"memory":1073741824,"cpu":1.5}`, "success"},
		{"a part of its own", param.Of("echo>", 1, "_limits", param.Of("memory", nil, "pids", 7)), `{"cpu":1.5,"pids":7}`, "success"},
		{"none", param.Of("echo>", 1, "_limits", nil), `null`, "success"},
		{
			"expressions", param.Of("echo>", 1, "_limits", param.Of("memory", "${1 + 2}KiB", "cpu", "${0.25}", "pids", "${3}")),
			`{"memory":3072,"cpu":0.25,"pids":3}`, "success",
		},
		{"an expression of a wrong value", param.Of("echo>", 1, "_limits", param.Of("memory", "${'much'}")), ``, "error"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				leases := make(chan *trowel.Lease, 10)
				f := begun(t, many(func(l *trowel.Lease) trowel.Report {
					leases <- l
					return trowel.Report{Outcome: trowel.OutcomeSuccess}
				}))
				if got := f.Status(f.Begin(0, param.Of("_limits", limits, "+a", row.task))); got != row.status {
					t.Errorf("attempt ended as %s, want %s", got, row.status)
				}
				close(leases)
				got := ""
				for l := range leases {
					if l.FullName == "+w+a" || l.FullName == "+main+a" {
						text, err := json.Marshal(l.Limits)
						if err != nil {
							t.Fatal(err)
						}
						got = string(text)
					}
				}
				if got != row.want {
					t.Errorf("limits of the lease = %s, want %s", got, row.want)
				}
			})
		})
	}
}
