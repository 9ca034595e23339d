package scheduler_test

import (
	"math/rand/v2"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/store/storetest"
)

// TestFaults lets transactions fail, or be committed while their caller is told otherwise: of an hour
// of ticks on two servers nothing is lost and nothing starts twice.
func TestFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		workflows := map[string]string{"w": `{"schedule": {"minutes_interval>": 1}, "+a": {"echo>": "hi"}}`}
		prepare := func(c *simulation) {
			rng := rand.New(rand.NewPCG(seed, 1))
			c.served = storetest.NewFaulty(c.store, func() storetest.Plan {
				if rng.IntN(3) > 0 {
					return storetest.Plan{}
				}
				return storetest.Plan{Fault: storetest.Fault(1 + rng.IntN(4)), Statement: rng.IntN(3)}
			})
			c.flusher.store = c.served
			c.flusher.length = -1
			c.flusher.attempts = 1000
		}
		play(t, workflows, scheduler.Push{}, 2, prepare, func(c *simulation) {
			t := c.t
			pass(time.Hour + 30*time.Second)
			seen := map[time.Time]int{}
			for _, a := range c.attempts(t) {
				seen[a.Session.Time]++
			}
			decided := map[time.Time]int{}
			for _, d := range c.decisions(t, "w") {
				if d.What != trowel.DecisionStarted || d.AttemptID == 0 {
					t.Errorf("decision %+v", d)
				}
				decided[d.SessionAt]++
			}
			for i := range 61 {
				session := tokyo("2024-03-10 12:00:00").Add(time.Duration(i) * time.Minute).UTC()
				if seen[session] != 1 || decided[session] != 1 {
					t.Errorf("seed %d: session %v has %d attempts and %d decisions, want 1 and 1", seed, session, seen[session], decided[session])
				}
			}
		})
	}
}
