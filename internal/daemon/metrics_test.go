package daemon

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/store"
	"github.com/trowel-project/trowel/internal/trowtest"
	"github.com/trowel-project/trowel/internal/version"
)

// wantMetrics checks that a page of metrics has certain lines.
func wantMetrics(t *testing.T, m meters, db trowel.Store, lines ...string) {
	t.Helper()
	rec := httptest.NewRecorder()
	m.page(db).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, line := range lines {
		if !strings.Contains(rec.Body.String(), "\n"+line+"\n") {
			name, _, _ := strings.Cut(line, " ")
			name, _, _ = strings.Cut(name, "{")
			var found []string
			for got := range strings.Lines(rec.Body.String()) {
				if strings.HasPrefix(got, name) {
					found = append(found, got)
				}
			}
			t.Errorf("no line %s, but %q", line, found)
		}
	}
}

// Commits of the flusher are counted, with the times between the instants of tries.
func TestMetricsOfBatches(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	at := func(seconds float64) time.Time { return now.Add(time.Duration(seconds * float64(time.Second))) }
	m := newMeters(func() time.Time { return at(.25) })
	m.Heard(&flush.Batch{
		At: now, Changes: make([]engine.Change, 3), Started: make([]trowel.Attempt, 2),
		Ended: []trowel.Attempt{
			{Flags: trowel.AttemptDone | trowel.AttemptSuccess}, {Flags: trowel.AttemptDone}, {Flags: trowel.AttemptDone | trowel.AttemptCancelRequested},
		},
		Tries: []trowel.Try{
			{Exit: trowel.ExitSuccess, ReadyAt: at(-10), ClaimedAt: at(-9), StartedAt: at(-8.5), EndedAt: at(-1)},
			{Exit: trowel.ExitLost, ReadyAt: at(-10), ClaimedAt: at(-8), EndedAt: at(-1)}, // it never began
		},
	})
	m.observe("getProject", 404, 20*time.Millisecond)
	wantMetrics(t, m, brokenStore{},
		`trowel_flush_changes_sum 3`, `trowel_flush_duration_seconds_sum 0.25`, `trowel_attempts_started_total 2`,
		`trowel_attempts_ended_total{status="success"} 1`, `trowel_attempts_ended_total{status="error"} 1`, `trowel_attempts_ended_total{status="killed"} 1`,
		`trowel_tries_total{outcome="success"} 1`, `trowel_tries_total{outcome="lost"} 1`,
		`trowel_try_ready_to_claim_seconds_sum 3`, `trowel_try_ready_to_claim_seconds_count 2`,
		`trowel_try_claim_to_start_seconds_sum 0.5`, `trowel_try_duration_seconds_sum 7.5`,
		`trowel_http_requests_total{route="getProject",status="404"} 1`, `trowel_http_request_duration_seconds_bucket{route="getProject",le="0.02"} 1`,
		`trowel_info{version="`+version.Number+`"} 1`,
	)
}

// brokenStore has a database that is away, or whose transactions always conflict.
type brokenStore struct {
	trowel.Store

	err error
}

func (s brokenStore) View(context.Context, func(trowel.Tx) error) error { return trowel.ErrUnavailable }

func (s brokenStore) Update(_ context.Context, f func(trowel.Tx) error) error {
	for range 2 {
		if err := f(nil); err != nil {
			return err
		}
	}
	return s.err
}

// Transactions are counted for their part. What they write is counted only once they are committed.
func TestMetricsOfTheStore(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0).UTC()
	db := trowtest.Store(t)
	m := newMeters(func() time.Time { return now })
	server := m.metered(db, "server")
	scheduler := m.metered(server, "scheduler")
	decide := func(tx trowel.Tx) error {
		p, r := &trowel.Project{Name: "p", CreatedAt: now}, &trowel.Revision{Name: "r", CreatedAt: now, Archive: trowel.Archive{Type: "none"}}
		if err := tx.InsertRevision(t.Context(), p, r, nil); err != nil {
			return err
		}
		return tx.InsertDecisions(t.Context(), []trowel.Decision{
			{ProjectID: p.ID, At: now, RunAt: now.Add(-time.Second), SessionAt: now, What: trowel.DecisionStarted},
			{ProjectID: p.ID, At: now, RunAt: now.Add(-time.Hour), SessionAt: now, What: trowel.DecisionSkipped},
		})
	}
	failure := errors.New("no")
	err := scheduler.Update(t.Context(), func(tx trowel.Tx) error { return errors.Join(decide(tx), failure) })
	if !errors.Is(err, failure) {
		t.Fatal(err)
	}
	put := func(tx trowel.Tx) error {
		return tx.PutAgent(t.Context(), &trowel.Agent{ID: "a", Slots: 4, StartedAt: now, SeenAt: now, LeaseEnds: now.Add(time.Minute)})
	}
	if err := errors.Join(scheduler.Update(t.Context(), decide), server.Update(t.Context(), put)); err != nil {
		t.Fatal(err)
	}
	nothing := func(trowel.Tx) error { return nil }
	for _, kind := range []error{trowel.ErrUnavailable, store.ErrRetry} {
		if err := m.metered(brokenStore{err: kind}, "flusher").Update(t.Context(), nothing); !errors.Is(err, kind) {
			t.Errorf("error = %v, want %v", err, kind)
		}
	}
	wantMetrics(t, m, server,
		`trowel_transactions_total{part="scheduler",kind="write"} 2`, `trowel_transactions_total{part="server",kind="write"} 1`,
		`trowel_schedule_decisions_total{what="started"} 1`, `trowel_schedule_decisions_total{what="skipped"} 1`,
		`trowel_schedule_delay_seconds_sum 1`, `trowel_schedule_delay_seconds_count 1`,
		`trowel_transaction_retries_total{part="flusher"} 2`,
		`trowel_database_errors_total{part="flusher",kind="unavailable"} 1`, `trowel_database_errors_total{part="flusher",kind="conflict"} 1`,
		`trowel_agents 1`, `trowel_agent_slots 4`, `trowel_attempts_running 0`,
	)
}
