package queue_test

import (
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/reason"
)

// What keeps a task is told in the order of control K819, from the time on when it is ready.
func TestKeptBy(t *testing.T) {
	t.Parallel()
	pools := []*trowel.Pool{{ID: 1, Name: "db", Slots: 2}}
	busy := &someone{id: "busy", queues: []string{"gpu"}}
	for text, want := range map[string]string{
		"a1 dbx=1":  queue.KeptNoPool,
		"a1 db=3":   queue.KeptSmallPool,
		"a1 db=2":   queue.KeptPool,
		"a1 #k/1":   queue.KeptConcurrency,
		"a1 @gpu":   queue.KeptAgentSlots,
		"a1 @other": queue.KeptNoAgent,
		"a1":        queue.KeptNothing,
	} {
		b := queue.NewBacklog(queue.Rules{})
		b.Add(ready(t, text))
		limits := &queue.Limits{Pools: pools, Uses: map[string]int{"pool:1": 1, "concurrency:w1/a:k": 1}}
		b.Pick(queue.Picking{
			Slots: []queue.Slot{{Agent: &someone{id: "x"}, Free: 2}}, Limits: limits, Now: noon, Agents: []queue.Agent{busy},
		})
		if got := b.KeptBy(1, 1); got != want {
			t.Errorf("KeptBy of %q = %q, want %q", text, got, want)
		}
	}
}

// Who is ready later was not kept by what was over before.
func TestKeptByWhatIsOver(t *testing.T) {
	t.Parallel()
	b := queue.NewBacklog(queue.Rules{})
	b.Add(ready(t, "a1 -10"))
	later := ready(t, "a2")
	later.At = noon.Add(time.Minute)
	b.Add(later)
	b.Pick(queue.Picking{Slots: []queue.Slot{{Agent: &someone{id: "x"}}}, Now: noon})
	for task, want := range map[trowel.TaskID]string{1: queue.KeptAgentSlots, 2: queue.KeptNothing, 3: queue.KeptNothing} {
		if got := b.KeptBy(1, task); got != want {
			t.Errorf("KeptBy(%d) = %q, want %q", task, got, want)
		}
	}
}

// These are words of package reason.
func TestKeptWords(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, e := range reason.Codes() {
		known[string(e.Code)] = true
	}
	for _, word := range []string{
		queue.KeptNoPool, queue.KeptSmallPool, queue.KeptPool, queue.KeptConcurrency, queue.KeptActiveTasks, queue.KeptNoAgent, queue.KeptAgentSlots,
		queue.KeptSite, queue.KeptNothing,
	} {
		if !known[word] {
			t.Errorf("%q is no code of a reason", word)
		}
	}
}
