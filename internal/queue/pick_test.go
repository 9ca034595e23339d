package queue_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/queue"
)

// someone is an agent with queues.
type someone struct {
	id     string
	queues []string
	labels []string
	limits trowel.KeptLimits
}

func (s *someone) ID() string { return s.id }
func (s *someone) Serves(n *trowel.Requirements) bool {
	row := trowel.Agent{Queues: s.queues, Labels: s.labels, Limits: s.limits}
	return row.Serves(n)
}

func (s *someone) Allows(n *trowel.Requirements) bool {
	row := trowel.Agent{Limits: s.limits}
	return row.Allows(n)
}
func (*someone) Free() int              { return 0 }
func (*someone) Assign([]*trowel.Lease) {}
func (*someone) Cancel([]trowel.TryID)  {}
func (*someone) Remote() bool           { return false }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// ready makes a task: text is "<workflow><id> <weight> <pool>=<slots> #<key>/<limit> @<queue> -<seconds waited>".
func ready(t *testing.T, text string) queue.Ready {
	t.Helper()
	fields := strings.Fields(text)
	r := queue.Ready{Attempt: 1, At: noon, Workflow: trowel.WorkflowName{ProjectID: 1, Name: fields[0][:1]}}
	if _, err := fmt.Sscan(fields[0][1:], &r.Task); err != nil {
		t.Fatal(err)
	}
	needs := &trowel.Requirements{}
	for _, f := range fields[1:] {
		var n int
		switch f[0] {
		case '#':
			key, limit, _ := strings.Cut(f[1:], "/")
			_, _ = fmt.Sscan(limit, &n)
			needs.Concurrency = &trowel.Concurrency{Limit: n, Per: trowel.PerWorkflow, Key: key}
		case '@':
			needs.Queue = f[1:]
		case '-':
			_, _ = fmt.Sscan(f[1:], &n)
			r.At = noon.Add(-time.Duration(n) * time.Second)
		case 'w':
			_, _ = fmt.Sscan(f[1:], &n)
			needs.Weight = new(n)
		default:
			name, slots, _ := strings.Cut(f, "=")
			_, _ = fmt.Sscan(slots, &n)
			needs.Pools = append(needs.Pools, trowel.PoolRequirement{Name: name, Slots: n})
		}
	}
	if len(fields) > 1 {
		r.Requirements = needs
	}
	return r
}

// The order of claims (control K807): weight with aging, fewest running, age, id.
func TestPickOrder(t *testing.T) {
	t.Parallel()
	pools := []*trowel.Pool{{ID: 1, Name: "default", Slots: trowel.Unlimited}, {ID: 2, Name: "db", Slots: 2}, {ID: 3, Name: "zero", Slots: 0}, {ID: 4, Name: "own", ProjectID: 1, Slots: 1}, {ID: 5, Name: "own", Slots: 9}, {ID: 6, Name: "free", Slots: trowel.Unlimited}}
	for _, row := range []struct {
		name    string
		ready   []string
		running string // a workflow for each running task
		uses    map[string]int
		n       int
		want    string
		limited bool
	}{
		{name: "nothing", n: 3},
		{name: "no room", ready: []string{"a1"}},
		{name: "age, then id", ready: []string{"a3", "a2", "a1 -5"}, n: 9, want: "a1 a2 a3"},
		{name: "weight first", ready: []string{"a1", "a2 w2", "a3 w-7", "a4 w5"}, n: 9, want: "a4 a2 a1 a3"},
		{name: "aging adds whole intervals", ready: []string{"a1 -299", "a2 w2"}, n: 9, want: "a2 a1"},
		{name: "aging: equal weights are in the order of age", ready: []string{"a1 -300", "a2 w2"}, n: 9, want: "a1 a2"},
		{name: "aging of a large wait", ready: []string{"a1 -900", "a2 w3"}, n: 9, want: "a1 a2"},
		{name: "fair share", ready: []string{"a1 -9", "a2 -9", "a3 -9", "b4", "b5"}, n: 4, want: "a1 b4 a2 b5"},
		{name: "fair share counts what runs", ready: []string{"a1 -9", "a2 -9", "b4", "b5"}, running: "aa", n: 3, want: "b4 b5 a1"},
		{name: "weight beats fair share", ready: []string{"a1 w2", "a2 w2", "b3"}, running: "aaa", n: 2, want: "a1 a2"},
		{name: "a pool", ready: []string{"a1 db=1", "a2 db=1", "a3 db=1", "a4"}, n: 9, want: "a1 a2 a4", limited: true},
		{name: "a pool that is used", ready: []string{"a1 db=1", "b2 db=1"}, uses: map[string]int{"pool:2": 1}, n: 9, want: "a1", limited: true},
		{name: "a pool that was made smaller", ready: []string{"a1 db=1", "a2"}, uses: map[string]int{"pool:2": 5}, n: 9, want: "a2", limited: true},
		{name: "a pool of zero", ready: []string{"a1 zero=1", "a2"}, n: 9, want: "a2", limited: true},
		{name: "a pool that is not there", ready: []string{"a1 nowhere=1 w9", "a2"}, n: 9, want: "a2", limited: true},
		{name: "the project's own pool", ready: []string{"a1 own=1", "a2 own=1"}, n: 9, want: "a1", limited: true},
		{name: "more slots than the pool has", ready: []string{"a1 db=3 w9", "a2 db=2"}, n: 9, want: "a2", limited: true},
		{name: "all pools or none", ready: []string{"a1 db=2 own=1 w2", "a2 own=1"}, uses: map[string]int{"pool:2": 1}, n: 9, want: "a2", limited: true},
		{name: "concurrency", ready: []string{"a1 #k/1", "a2 #k/1", "a3 #l/1", "b4 #k/1"}, n: 9, want: "a1 b4 a3", limited: true},
		{name: "the smallest limit counts", ready: []string{"a1 #k/1 -9", "a2 #k/2", "a3 #k/2"}, n: 9, want: "a1 a2", limited: true},
		{name: "a wide task that waited keeps later ones out", ready: []string{"a1 db=2 -61", "a2 db=1 -59"}, uses: map[string]int{"pool:2": 1}, n: 9, want: "", limited: true},
		{name: "one that did not wait long does not", ready: []string{"a1 db=2 -59", "a2 db=1 -50"}, uses: map[string]int{"pool:2": 1}, n: 9, want: "a2", limited: true},
		{name: "nor a larger weight", ready: []string{"a1 db=2 -61", "a2 w2 db=1 -59"}, uses: map[string]int{"pool:2": 1}, n: 9, want: "a2", limited: true},
		{name: "nor one that lacks something else", ready: []string{"a1 db=2 zero=1 -61", "a2 db=1 -59"}, uses: map[string]int{"pool:2": 1}, n: 9, want: "a2", limited: true},
		{name: "nor one that no agent serves", ready: []string{"a1 db=2 @gpu -61", "a2 db=1 -59"}, uses: map[string]int{"pool:2": 1}, n: 9, want: "a2"},
		{name: "nor of a pool without a limit", ready: []string{"a1 db=2 free=1 -61", "a2 free=1 -59", "a3 db=1 -59"}, uses: map[string]int{"pool:2": 1}, n: 9, want: "a2", limited: true},
		{name: "queues", ready: []string{"a1 @gpu", "a2"}, n: 9, want: "a2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := queue.NewBacklog(queue.Rules{Aging: 5 * time.Minute, ReserveAfter: time.Minute})
			for _, text := range row.ready {
				b.Add(ready(t, text))
			}
			for i, w := range row.running {
				b.Started(1, trowel.TaskID(1000+i), trowel.WorkflowName{ProjectID: 1, Name: string(w)})
			}
			uses := maps.Clone(row.uses)
			if uses == nil {
				uses = map[string]int{}
			}
			picks, _, limited := b.Pick(queue.Picking{
				Slots: []queue.Slot{{Agent: &someone{id: "x"}, Free: row.n}}, Limits: &queue.Limits{Pools: pools, Counters: uses}, Now: noon,
			})
			var got []string
			for _, p := range picks {
				got = append(got, fmt.Sprint(p.Workflow.Name, p.Task))
			}
			if diff := cmp.Diff(row.want, strings.Join(got, " ")); diff != "" || limited != row.limited {
				t.Errorf("limited %v, want %v; picked (-want +got):\n%s", limited, row.limited, diff)
			}
			if b.Len() != len(row.ready) {
				t.Errorf("the backlog has %d tasks, want %d as before", b.Len(), len(row.ready))
			}
		})
	}
}

// Agents take turns, each gets what it serves and no more than it takes.
func TestPickAgents(t *testing.T) {
	t.Parallel()
	b := queue.NewBacklog(queue.Rules{})
	for _, text := range []string{"a1", "a2", "a3", "a4", "a5 @gpu", "a6 @gpu", "a7 @none"} {
		b.Add(ready(t, text))
	}
	slots := []queue.Slot{
		{Agent: &someone{id: "x"}, Free: 9},
		{Agent: &someone{id: "y", queues: []string{"default", "gpu"}}, Free: 2},
		{Agent: &someone{id: "z", queues: []string{"gpu"}}, Free: 2},
	}
	picks, _, limited := b.Pick(queue.Picking{Slots: slots, Now: noon})
	given := map[string]int{}
	for _, p := range picks {
		if !p.Agent.Serves(p.Requirements) {
			t.Errorf("task %d went to %s, which does not serve it", p.Task, p.Agent.ID())
		}
		given[p.Agent.ID()]++
	}
	if want := map[string]int{"x": 2, "y": 2, "z": 2}; !maps.Equal(given, want) || limited {
		t.Errorf("given %v, limited %v, want %v", given, limited, want)
	}
}

// A task goes to agents that keep its limits and whose bounds are not below them. One with too low bounds gets it only if no
// other agent would ever take it (control K823).
func TestPickByLimits(t *testing.T) {
	t.Parallel()
	agent := func(id, kept string, memory int64) *someone {
		return &someone{id: id, limits: trowel.KeptLimits{Names: strings.Fields(kept), Max: trowel.CommandLimits{Memory: memory}}}
	}
	for _, row := range []struct {
		name   string
		limits *trowel.CommandLimits
		free   []queue.Slot
		busy   []queue.Agent
		want   string
	}{
		{name: "no limits", free: []queue.Slot{{Agent: agent("old", "", 0), Free: 1}}, want: "old"},
		{
			name: "not kept", limits: &trowel.CommandLimits{CPU: 1, Memory: 1},
			free: []queue.Slot{{Agent: agent("old", "", 0), Free: 1}, {Agent: agent("watching", "memory pids disk", 0), Free: 1}},
		},
		{
			name: "kept", limits: &trowel.CommandLimits{CPU: 1, Memory: 1},
			free: []queue.Slot{{Agent: agent("watching", "memory pids disk", 0), Free: 1}, {Agent: agent("all", "memory cpu pids disk", 0), Free: 1}}, want: "all",
		},
		{
			name: "within the bounds of one", limits: &trowel.CommandLimits{Memory: 9},
			free: []queue.Slot{{Agent: agent("low", "memory", 8), Free: 1}, {Agent: agent("high", "memory", 9), Free: 1}}, want: "high",
		},
		{
			name: "within the bounds of one that is busy", limits: &trowel.CommandLimits{Memory: 9},
			free: []queue.Slot{{Agent: agent("low", "memory", 8), Free: 1}}, busy: []queue.Agent{agent("high", "memory", 9)},
		},
		{
			name: "above all bounds", limits: &trowel.CommandLimits{Memory: 9},
			free: []queue.Slot{{Agent: agent("old", "", 0), Free: 1}, {Agent: agent("low", "memory", 8), Free: 1}},
			busy: []queue.Agent{agent("lower", "memory", 7)}, want: "low",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := queue.NewBacklog(queue.Rules{})
			r := ready(t, "a1")
			r.Requirements = &trowel.Requirements{Limits: row.limits}
			b.Add(r)
			picking := queue.Picking{Slots: row.free, Now: noon, Agents: row.busy}
			for _, s := range row.free {
				picking.Agents = append(picking.Agents, s.Agent)
			}
			picks, _, _ := b.Pick(picking)
			got := ""
			for _, p := range picks {
				got = p.Agent.ID()
			}
			if got != row.want {
				t.Errorf("the task went to %q, want %q", got, row.want)
			}
		})
	}
}

// A task that may run and has a free slot never waits behind one that may not (control K808), no limit is
// ever exceeded, and the order among those that compete for the same things is that of K807.
func TestPickProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		pools := []*trowel.Pool{{ID: 1, Name: "default", Slots: rng.IntN(8) - 1}, {ID: 2, Name: "p", Slots: rng.IntN(6) - 1}, {ID: 3, Name: "q", Slots: rng.IntN(4)}}
		limits := &queue.Limits{Pools: pools, Counters: map[string]int{"pool:2": rng.IntN(4)}, MaxRunning: rng.IntN(3) * 5}
		before := maps.Clone(limits.Counters)
		b := queue.NewBacklog(queue.Rules{Aging: time.Minute})
		all := map[trowel.TaskID]queue.Ready{}
		for id := range trowel.TaskID(rng.IntN(30)) {
			r := randomReady(rng, id+1)
			all[r.Task] = r
			b.Add(r)
		}
		for id := range all { // some go again
			if rng.IntN(5) == 0 {
				b.Remove(all[id].Attempt, id)
				delete(all, id)
			}
		}
		free := rng.IntN(12)
		agent := &someone{id: "x", queues: []string{"default", "gpu"}}
		picks, _, _ := b.Pick(queue.Picking{Slots: []queue.Slot{{Agent: agent, Free: free}}, Limits: limits, Now: noon})
		uses := before
		for i := range picks {
			demands, missing := limits.Demands(&picks[i].Ready)
			if missing != "" || !agent.Serves(picks[i].Requirements) {
				t.Fatalf("seed %d: picked task %d, which may not run", seed, picks[i].Task)
			}
			for _, d := range demands {
				uses[d.Counter] += d.Amount
				if d.Limit != trowel.Unlimited && uses[d.Counter] > d.Limit {
					t.Fatalf("seed %d: %s is used %d times, the limit is %d", seed, d.Counter, uses[d.Counter], d.Limit)
				}
			}
			delete(all, picks[i].Task)
		}
		if !maps.Equal(uses, limits.Counters) {
			t.Fatalf("seed %d: counters %v, want %v", seed, limits.Counters, uses)
		}
		if len(picks) == free {
			continue
		}
		for _, r := range all {
			demands, missing := limits.Demands(&r)
			open := missing == "" && agent.Serves(r.Requirements)
			for _, d := range demands {
				open = open && (d.Limit == trowel.Unlimited || limits.Available(d) >= d.Amount)
			}
			if open {
				t.Fatalf("seed %d: task %d may run and waits although there is a slot: %+v", seed, r.Task, r)
			}
		}
	}
}

func randomReady(rng *rand.Rand, id trowel.TaskID) queue.Ready {
	r := queue.Ready{
		Attempt: trowel.AttemptID(rng.IntN(3)), Task: id, At: noon.Add(-time.Duration(rng.IntN(200)) * time.Second),
		Workflow: trowel.WorkflowName{ProjectID: 1, Name: string(rune('a' + rng.IntN(3)))},
	}
	if rng.IntN(3) == 0 {
		return r
	}
	needs := &trowel.Requirements{}
	if rng.IntN(2) == 0 {
		needs.Weight = new(rng.IntN(3))
	}
	for _, name := range []string{"nowhere", "p", "q"} {
		if rng.IntN(4) == 0 && (name != "nowhere" || rng.IntN(4) == 0) {
			needs.Pools = append(needs.Pools, trowel.PoolRequirement{Name: name, Slots: 1 + rng.IntN(3)})
		}
	}
	if rng.IntN(4) == 0 {
		needs.Queue = []string{"gpu", "far"}[rng.IntN(2)]
	}
	if rng.IntN(4) == 0 {
		needs.Concurrency = &trowel.Concurrency{Limit: 1 + rng.IntN(2), Per: trowel.PerSite, Key: "k"}
	}
	r.Requirements = needs
	return r
}

// The backlog behaves like a plain set: what is added, removed and dropped is gone or there.
func TestBacklogContent(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		b := queue.NewBacklog(queue.Rules{})
		want := map[trowel.TaskID]queue.Ready{}
		for range 200 {
			switch r := randomReady(rng, trowel.TaskID(1+rng.IntN(40))); rng.IntN(8) {
			default:
				if old, ok := want[r.Task]; ok {
					r.Attempt = old.Attempt
				}
				b.Add(r)
				want[r.Task] = r
			case 0, 1:
				if old, ok := want[r.Task]; ok {
					b.Remove(old.Attempt, r.Task)
					delete(want, r.Task)
				}
			case 2:
				b.Drop(r.Attempt)
				maps.DeleteFunc(want, func(_ trowel.TaskID, other queue.Ready) bool { return other.Attempt == r.Attempt })
			}
		}
		limits := &queue.Limits{Pools: []*trowel.Pool{{Name: "p", Slots: -1}, {Name: "q", Slots: -1}, {Name: "nowhere", Slots: -1}}, Counters: map[string]int{}}
		for id, r := range want { // limits of their own, so that all are picked
			r.Requirements, r.Limits = nil, trowel.WorkflowLimits{}
			b.Add(r)
			want[id] = r
		}
		picks, _, _ := b.Pick(queue.Picking{Slots: []queue.Slot{{Agent: &someone{}, Free: 1000}}, Limits: limits, Now: noon})
		var got []trowel.TaskID
		for _, p := range picks {
			got = append(got, p.Task)
		}
		slices.Sort(got)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), got, cmp.Transformer("empty", func(ids []trowel.TaskID) []trowel.TaskID { return append([]trowel.TaskID{}, ids...) })); diff != "" || b.Len() != len(want) {
			t.Fatalf("seed %d: %d tasks (-want +got):\n%s", seed, b.Len(), diff)
		}
	}
}

// Of an attempt that has ended nothing counts for the share of its workflow, whatever was heard of its tasks.
func TestSharesOfEnded(t *testing.T) {
	t.Parallel()
	b := queue.NewBacklog(queue.Rules{})
	a := trowel.WorkflowName{ProjectID: 1, Name: "a"}
	b.Started(7, 71, a)
	b.Started(7, 72, a)
	b.Started(8, 81, trowel.WorkflowName{ProjectID: 1, Name: "b"})
	b.Stopped(7, 71)
	b.Stopped(9, 91)
	if !b.Runs(7) {
		t.Error("nothing of the attempt runs before its end")
	}
	b.End(7)
	b.Add(ready(t, "b1"))
	b.Add(ready(t, "a2"))
	picks, _, _ := b.Pick(queue.Picking{Slots: []queue.Slot{{Agent: &someone{}, Free: 1}}, Now: noon})
	if b.Runs(7) || len(picks) != 1 || picks[0].Workflow != a {
		t.Errorf("picked %v, want the task of the workflow of which nothing runs", picks)
	}
}
