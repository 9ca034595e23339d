package queue_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// BlockedBy names what kept a task since it became ready, in the order of control K819.
func TestBlockedBy(t *testing.T) {
	t.Parallel()
	pools := []*trowel.Pool{{ID: 1, Name: "db", Slots: 2}}
	busy := &someone{id: "busy", queues: []string{"gpu"}}
	for text, want := range map[string]trowel.WaitCode{
		"a1 dbx=1":  trowel.WaitPoolMissing,
		"a1 db=3":   trowel.WaitPoolTooSmall,
		"a1 db=2":   trowel.WaitPool,
		"a1 #k/1":   trowel.WaitConcurrency,
		"a1 @gpu":   trowel.WaitAgentSlots,
		"a1 @other": trowel.WaitNoAgent,
		"a1":        trowel.WaitDispatch,
	} {
		b := queue.NewBacklog(queue.Rules{})
		b.Add(ready(t, text))
		limits := &queue.Limits{Pools: pools, Counters: map[string]int{"pool:1": 1, "concurrency:w1/a:k": 1}}
		b.Pick(queue.Picking{
			Slots: []queue.Slot{{Agent: &someone{id: "x"}, Free: 2}}, Limits: limits, Now: noon, Agents: []queue.Agent{busy},
		})
		if got := b.BlockedBy(1, 1); got != want {
			t.Errorf("BlockedBy of %q = %q, want %q", text, got, want)
		}
	}
}

// A task that became ready later was not blocked by what had ended before.
func TestBlockedByWhatIsOver(t *testing.T) {
	t.Parallel()
	b := queue.NewBacklog(queue.Rules{})
	b.Add(ready(t, "a1 -10"))
	later := ready(t, "a2")
	later.At = noon.Add(time.Minute)
	b.Add(later)
	b.Pick(queue.Picking{Slots: []queue.Slot{{Agent: &someone{id: "x"}}}, Now: noon})
	for task, want := range map[trowel.TaskID]trowel.WaitCode{1: trowel.WaitAgentSlots, 2: trowel.WaitDispatch, 3: trowel.WaitDispatch} {
		if got := b.BlockedBy(1, task); got != want {
			t.Errorf("BlockedBy(%d) = %q, want %q", task, got, want)
		}
	}
}

// All limits without room are listed, in the order of control K819.
func TestBlocked(t *testing.T) {
	t.Parallel()
	r := ready(t, "a1 small=3 db=1 #k/1")
	r.Limits = trowel.WorkflowLimits{TasksPerAttempt: 1, TasksPerWorkflow: 1}
	limits := &queue.Limits{
		Pools:    []*trowel.Pool{{ID: 1, Name: "db", Slots: 1}, {ID: 2, Name: "small", Slots: 2}},
		Counters: map[string]int{"pool:1": 1, "concurrency:w1/a:k": 1, "tasks:1/a": 1, queue.SiteCounter: 1}, MaxRunning: 1,
	}
	demands, _ := limits.Demands(&r)
	list := limits.Blocked(queue.Candidate{Task: &r, Demands: demands, Missing: true, Running: 1})
	var got []string
	for _, b := range list {
		got = append(got, string(b.Code)+" "+b.Demand.Counter)
	}
	want := []string{
		"pool_missing ", "pool_too_small pool:2", "pool pool:1", "concurrency concurrency:w1/a:k", "max_active_tasks ", "max_active_tasks tasks:1/a",
		"site_limit tasks",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Blocked (-want +got):\n%s", diff)
	}
	limits.Counters, r.Limits, demands = map[string]int{}, trowel.WorkflowLimits{}, demands[1:2]
	reserved := func(queue.Demand) bool { return true }
	if list := limits.Blocked(queue.Candidate{Task: &r, Demands: demands, Reserved: reserved}); len(list) != 1 || list[0].Code != trowel.WaitPool {
		t.Errorf("Blocked by a reserved pool = %+v, want pool", list)
	}
}

// A demand of any kind keeps the task from running when its counter is full.
func TestBlockedByAnyDemand(t *testing.T) {
	t.Parallel()
	r := ready(t, "a1")
	for _, code := range append(trowel.WaitCodes(), "a new code") {
		limits := &queue.Limits{Counters: map[string]int{"full": 3, "open": 2}}
		for counter, want := range map[string]int{"full": 1, "open": 0} {
			demand := queue.Demand{Code: code, Counter: counter, Amount: 1, Limit: 3}
			list := limits.Blocked(queue.Candidate{Task: &r, Demands: []queue.Demand{demand}, Reserved: func(queue.Demand) bool { return false }})
			if len(list) != want || want == 1 && (list[0].Code != code || list[0].Demand != demand) {
				t.Errorf("Blocked by a demand %q of counter %s = %+v, want %d", code, counter, list, want)
			}
		}
	}
}
