package hub

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"math"
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

// What an agent claims of a piece of output fits together, so that it can be added up with that of others.
func TestPieces(t *testing.T) {
	t.Parallel()
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	if _, err := w.Write([]byte("one\ntwo\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		change func(c *api.AgentLogChunk)
		ok     bool
	}{
		{"right", func(*api.AgentLogChunk) {}, true},
		{"a later one", func(c *api.AgentLogChunk) { c.Seq, c.Offset, c.FirstLine = 7, 9_000_000, 9_000_000 }, true},
		{"the last number", func(c *api.AgentLogChunk) { c.Seq = math.MaxInt32 }, true},
		{"an error", func(c *api.AgentLogChunk) { c.ErrorAt = new(c.TextBytes - 1) }, true},
		{"no error", func(c *api.AgentLogChunk) { c.ErrorAt = new(int64(-1)) }, true},
		{"an error behind the text", func(c *api.AgentLogChunk) { c.ErrorAt = new(c.TextBytes) }, false},
		{"an error before the text", func(c *api.AgentLogChunk) { c.ErrorAt = new(int64(-2)) }, false},
		{"a number that no table has", func(c *api.AgentLogChunk) { c.Seq = math.MaxInt32 + 1 }, false},
		{"before the first", func(c *api.AgentLogChunk) { c.Seq = -1 }, false},
		{"far away", func(c *api.AgentLogChunk) { c.Offset = maxText + 1 }, false},
		{"before the beginning", func(c *api.AgentLogChunk) { c.Offset = -1 }, false},
		{"more lines before it than bytes", func(c *api.AgentLogChunk) { c.FirstLine = 1 }, false},
		{"a line before the first", func(c *api.AgentLogChunk) { c.FirstLine = -1 }, false},
		{"more lines than bytes", func(c *api.AgentLogChunk) { c.Lines = 9 }, false},
		{"less than no lines", func(c *api.AgentLogChunk) { c.Lines = -1 }, false},
		{"another size", func(c *api.AgentLogChunk) { c.TextBytes = 9 }, false},
		{"no text", func(c *api.AgentLogChunk) { c.TextBytes = 0 }, false},
		{"the size and 4 GiB", func(c *api.AgentLogChunk) { c.TextBytes += 1 << 32 }, false},
		{"no gzip", func(c *api.AgentLogChunk) { c.Data = append([]byte("x"), c.Data[1:]...) }, false},
		{"a part", func(c *api.AgentLogChunk) { c.Data = c.Data[:gzipBytes] }, false},
		{"nothing", func(c *api.AgentLogChunk) { c.Data = nil }, false},
	} {
		c := api.AgentLogChunk{File: "+w@65a3f2c000000001.a.log.gz", Lines: 2, TextBytes: 8, Data: zip.Bytes()}
		row.change(&c)
		if _, err := chunkOf(&c); (err == nil) != row.ok || err != nil && !errors.Is(err, trowel.ErrInvalid) {
			t.Errorf("%s: error = %v, want ok = %v", row.name, err, row.ok)
		}
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
