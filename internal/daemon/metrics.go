package daemon

import (
	"context"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/telemetry"
	"github.com/trowel-project/trowel/internal/version"
)

// metricsTime is how long a page of metrics waits for the database.
const metricsTime = 5 * time.Second

// meters feeds the metrics of a server.
type meters struct {
	*telemetry.Metrics

	now func() time.Time
}

func newMeters(now func() time.Time) meters {
	m := meters{telemetry.New(), now}
	m.Set(telemetry.Info, 1, version.Number)
	return m
}

// observe implements server.Options.Observe.
func (m meters) observe(route string, status int, took time.Duration) {
	m.Add(telemetry.HTTPRequests, 1, route, strconv.Itoa(status))
	m.Observe(telemetry.HTTPDuration, took.Seconds(), route)
}

// Heard implements flush.Listener.
func (m meters) Heard(batch *flush.Batch) {
	m.Observe(telemetry.FlushChanges, float64(len(batch.Changes)))
	m.Observe(telemetry.FlushDuration, m.now().Sub(batch.At).Seconds())
	m.Add(telemetry.AttemptsStarted, float64(len(batch.Started)))
	for i := range batch.Ended {
		m.Add(telemetry.AttemptsEnded, 1, batch.Ended[i].Flags.Status())
	}
	for i := range batch.Tries {
		t := &batch.Tries[i]
		m.Add(telemetry.Tries, 1, t.Exit)
		m.between(telemetry.TryReadyToClaim, t.ReadyAt, t.ClaimedAt)
		m.between(telemetry.TryClaimToStart, t.ClaimedAt, t.StartedAt)
		m.between(telemetry.TryDuration, t.StartedAt, t.EndedAt)
	}
	for _, w := range batch.Waits {
		m.Add(telemetry.WaitSeconds, max(w.For, 0).Seconds(), w.Code)
	}
}

// between observes the duration between two instants, unless one is missing.
func (m meters) between(id telemetry.ID, from, to time.Time) {
	if !from.IsZero() && !to.IsZero() {
		m.Observe(id, to.Sub(from).Seconds())
	}
}

// page answers /metrics. It reads some figures from the database for each page. While the database is away
// the page has the previous figures.
func (m meters) page(store trowel.Store) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), metricsTime)
		defer cancel()
		_ = store.View(ctx, func(tx trowel.Tx) error { return m.read(ctx, tx) }) // failures are counted as errors of the database
		m.Set(telemetry.Goroutines, float64(runtime.NumGoroutine()))
		m.Set(telemetry.Memory, memory())
		m.ServeHTTP(w, r)
	})
}

func (m meters) read(ctx context.Context, tx trowel.Tx) error {
	running, err := tx.CountRunningAttempts(ctx)
	if err != nil {
		return err
	}
	agents, err := tx.ListAgents(ctx)
	if err != nil {
		return err
	}
	live, slots := 0, 0
	for _, a := range agents {
		if a.LeaseEnds.After(m.now()) {
			live, slots = live+1, slots+a.Slots
		}
	}
	m.Set(telemetry.AttemptsRunning, float64(running))
	m.Set(telemetry.Agents, float64(live))
	m.Set(telemetry.AgentSlots, float64(slots))
	return nil
}

// memory returns how many bytes the process has from the system.
func memory() float64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	if samples[0].Value.Kind() != metrics.KindUint64 || samples[1].Value.Kind() != metrics.KindUint64 {
		return 0 // this version of Go does not know these names
	}
	return float64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
