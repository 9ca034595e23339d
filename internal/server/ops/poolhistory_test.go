package ops_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// The history of a pool has means and maxima of its samples for each five minutes.
func TestPoolHistory(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	step := time.Now().Add(-time.Hour).Truncate(trowel.UsageStep).UTC()
	add := func(at time.Time, uses ...trowel.PoolUsage) error {
		return h.Store.Update(t.Context(), func(tx trowel.Tx) error {
			_, err := tx.AddPoolUsage(t.Context(), at, time.Second, uses)
			return err
		})
	}
	err := errors.Join(
		add(step.Add(-48*time.Hour), trowel.PoolUsage{Pool: 1, Slots: 9, Used: 9}),
		add(step, trowel.PoolUsage{Pool: 1, Slots: 4, Used: 3, Waiting: 1}), add(step.Add(time.Minute), trowel.PoolUsage{Pool: 2, Used: 7}),
		add(step.Add(trowel.UsageStep)),
	)
	if err != nil {
		t.Fatal(err)
	}
	slots := 4
	want := api.PoolHistory{StepMS: 300_000, Items: api.List[api.PoolUseStep]{
		{At: document.Instant(step), Samples: 2, Slots: &slots, Used: 1.5, MostUsed: 3, Waiting: 0.5, MostWaiting: 1},
		{At: document.Instant(step.Add(trowel.UsageStep)), Samples: 1},
	}}
	if diff := cmp.Diff(want, servertest.Read[api.PoolHistory](t, h.Get(t, "/api/pools/default/history"), 200)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if a := h.Get(t, "/api/pools/none/history"); a.Status != http.StatusNotFound {
		t.Errorf("history of no pool: %d %s", a.Status, a.Body)
	}
}

// Queues say how fast tasks have lately gone to agents of all servers; null if none has.
func TestPaceOfQueues(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	handed := func(ago time.Duration, ready time.Duration, tasks int) trowel.HandOffs {
		list := trowel.HandOffs{At: time.Now().Add(-ago), Queue: "gpu"}
		for range tasks {
			list.Add(ready)
		}
		return list
	}
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertHandOffs(t.Context(), []trowel.HandOffs{
			handed(time.Second, 2*time.Millisecond, 60), handed(time.Minute, 2*time.Millisecond, 38), handed(time.Minute, time.Second, 2), handed(time.Hour, time.Hour, 1000),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal([]byte(h.Get(t, "/api/queues").Body), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 2 || list.Items[0]["name"] != "default" || list.Items[1]["name"] != "gpu" {
		t.Fatalf("queues = %v, want default and gpu", list.Items)
	}
	for _, key := range []string{"p50Ms", "p99Ms", "ratePerMin"} {
		if value, ok := list.Items[0][key]; !ok || value != nil {
			t.Errorf("%s of an idle queue = %v, want null", key, value)
		}
	}
	for key, want := range map[string]float64{"p50Ms": 2, "p99Ms": 1000, "ratePerMin": 20} {
		if got, _ := list.Items[1][key].(float64); got < want*0.94 || got > want*1.06 {
			t.Errorf("%s = %v, want about %g", key, list.Items[1][key], want)
		}
	}
}
