package hub

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
)

// Instants of a report are made with the server's clock of lengths of time, however odd these are.
func TestReportInstants(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name           string
		ago, ran       int64
		ended, started time.Time
	}{
		{"at once", 0, 2_000_000, now, now.Add(-2 * time.Second)},
		{"it had to wait", 60_000_000, 1_000, now.Add(-time.Minute), now.Add(-time.Minute - time.Millisecond)},
		{"in the future", -5_000_000, -5, now, now},
		{"ages ago", 1 << 62, 0, now.Add(-maxAgo), now.Add(-maxAgo)},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := reportOf(&api.AgentReport{Outcome: api.AgentSuccess, Ran: true, EndedAgo: row.ago, RanMicros: row.ran}, now)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]time.Time{row.started, row.ended}, []time.Time{got.StartedAt, got.EndedAt}); diff != "" {
				t.Errorf("start and end (-want +got):\n%s", diff)
			}
		})
	}
	if got, err := reportOf(&api.AgentReport{Outcome: api.AgentReleased}, now); err != nil || !got.StartedAt.IsZero() || !got.EndedAt.IsZero() {
		t.Errorf("a try that never began: %+v, %v, want no instants", got, err)
	}
}

// An agent hides what it reports, and claims about anything else are not heeded.
func TestReportMasked(t *testing.T) {
	t.Parallel()
	got, err := reportOf(&api.AgentReport{
		Outcome: api.AgentSuccess, Result: &api.AgentResult{Store: param.Of("a", "x")}, Masked: []string{"store/a", "store/b", "export/a", "state", "x\ny", ""},
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trowel.Masked{"store/a"}, got.Masked); diff != "" {
		t.Errorf("masked (-want +got):\n%s", diff)
	}
}

// Whatever an agent sends is refused, or is a report with an outcome, sane instants and few lines.
func FuzzReport(f *testing.F) {
	f.Add(`{"taskId":1,"attemptId":2,"try":1,"outcome":"success","ran":true,"ranMicros":5,"result":{"store":{"a":1}}}`)
	f.Add(`{"outcome":"success","result":{"store":{"a":[1]}},"masked":["store/a/0","store/a/~","state/~k","store"]}`)
	f.Add(`{"outcome":"retry","retryInMicros":-1,"lastLines":["x"],"logs":[{"file":"a","data":"AA=="}]}`)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		var shape api.AgentReport
		if json.Unmarshal([]byte(text), &shape) != nil {
			return
		}
		r, err := reportOf(&shape, now)
		if err != nil {
			return
		}
		if r.Outcome < trowel.OutcomeSuccess || r.Outcome > trowel.OutcomeReleased || len(r.LastLines) > maxLines || r.RetryIn < 0 {
			t.Errorf("report = %+v", r)
		}
		if r.EndedAt.After(now) || r.StartedAt.After(r.EndedAt) || !r.EndedAt.IsZero() && r.EndedAt.Before(now.Add(-maxAgo)) {
			t.Errorf("it began at %v and ended at %v, and it is %v", r.StartedAt, r.EndedAt, now)
		}
		for i := range r.Logs {
			if r.Logs[i].AttemptID != r.AttemptID || r.Logs[i].File == "" {
				t.Errorf("output = %+v of a report of attempt %d", r.Logs[i], r.AttemptID)
			}
		}
	})
}
