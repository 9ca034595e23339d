package reason_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/reason"
)

// row makes a task of an attempt whose root has id 1.
func row(id, parent trowel.TaskID, name string, state trowel.TaskState, change ...func(*trowel.Task)) *trowel.Task {
	t := &trowel.Task{
		ID: id, AttemptID: 7, ParentID: parent, FullName: name, State: state, Flags: trowel.TaskInitial, ReadyAt: at(10), UpdatedAt: at(10),
	}
	for _, f := range change {
		f(t)
	}
	return t
}

func after(ids ...trowel.TaskID) func(*trowel.Task) {
	return func(t *trowel.Task) { t.Upstreams = ids }
}

func flagged(f trowel.TaskFlags) func(*trowel.Task) { return func(t *trowel.Task) { t.Flags |= f } }

func needing(n *trowel.Requirements) func(*trowel.Task) {
	return func(t *trowel.Task) { t.Requirements = n }
}

func wanting(pool string, slots int) func(*trowel.Task) {
	return needing(&trowel.Requirements{Pools: []trowel.PoolRequirement{{Name: pool, Slots: slots}}})
}

func waiting(why trowel.WaitCode, count int) func(*trowel.Task) {
	return func(t *trowel.Task) { t.WaitReason, t.RetryCount, t.RetryAt = why, count, at(60) }
}

// scene is an attempt with a question about one of its tasks.
type scene struct {
	name   string
	about  trowel.TaskID
	tasks  []*trowel.Task
	change func(f *reason.Facts)
	want   []string // codes and texts
	fields string   // of the first, as JSON
	next   trowel.TaskID
}

const (
	blocked = trowel.TaskBlocked
	ready   = trowel.TaskReady
	running = trowel.TaskRunning
	planned = trowel.TaskPlanned
)

func (s *scene) run(t *testing.T) {
	t.Helper()
	f := facts(s.tasks...)
	if s.change != nil {
		s.change(f)
	}
	var asked *trowel.Task
	for _, row := range s.tasks {
		if row.ID == s.about {
			asked = row
		}
	}
	var got []string
	reasons := reason.Explain(asked, f)
	for _, r := range reasons {
		got = append(got, string(r.Code)+": "+r.Text)
	}
	if diff := cmp.Diff(s.want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if len(reasons) == 0 {
		return
	}
	if got := param.JSON(reasons[0].Fields); s.fields != "" && got != s.fields {
		t.Errorf("fields = %s\nwant     %s", got, s.fields)
	}
	if reasons[0].Next != s.next {
		t.Errorf("Next = %d, want %d", reasons[0].Next, s.next)
	}
	if err := check(asked, reasons); err != nil {
		t.Error(err)
	}
}

// K819, of blocked tasks.
func TestBlocked(t *testing.T) {
	t.Parallel()
	root := row(1, 0, "+w", planned)
	for _, s := range []scene{
		{
			name: "nothing begun: its group first, then what is before it", about: 4,
			tasks:  []*trowel.Task{root, row(2, 1, "+w+g", blocked, after(5)), row(3, 2, "+w+g+a", blocked), row(4, 2, "+w+g+b", blocked, after(3)), row(5, 1, "+w+x", running)},
			want:   []string{"parent: waits for its group +w+g to begin, which is blocked", "upstream: waits for +w+g+a (blocked)"},
			fields: `{"task":{"id":"2","name":"+w+g"},"state":"blocked"}`, next: 2,
		},
		{
			name: "upstream", about: 6,
			tasks: []*trowel.Task{
				root, row(2, 1, "+w+a", blocked), row(3, 1, "+w+b", running), row(4, 1, "+w+c", trowel.TaskSuccess), row(5, 1, "+w+d", trowel.TaskRetryWaiting),
				row(6, 1, "+w+e", blocked, after(2, 3, 4, 5)),
			},
			want: []string{"upstream: waits for +w+a (blocked), +w+b (running) and +w+d (waiting for a retry)"},
			fields: `{"rule":"all_success","open":[{"task":{"id":"2","name":"+w+a"},"state":"blocked"},{"task":{"id":"3","name":"+w+b"},"state":"running"},` +
				`{"task":{"id":"5","name":"+w+d"},"state":"retry_waiting"}],"count":3}`,
			next: 3,
		},
		{
			name: "upstream failed", about: 3,
			tasks:  []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskError), row(3, 1, "+w+b", blocked, after(2))},
			want:   []string{"not_reached: will not run: +w+a failed"},
			fields: `{"rule":"all_success","upstreams":[{"task":{"id":"2","name":"+w+a"},"class":"F"}],"task":{"id":"3","name":"+w+b"}}`, next: 2,
		},
		{
			name: "upstream not reached", about: 4,
			tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskCanceled), row(3, 1, "+w+b", blocked, after(2)), row(4, 1, "+w+c", blocked, after(3))},
			want:  []string{"not_reached: will not run: +w+b will not run either"}, next: 3,
		},
		{
			name: "group not reached", about: 4,
			tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskGroupError), row(3, 1, "+w+g", blocked, after(2)), row(4, 3, "+w+g+b", blocked)},
			want:  []string{"not_reached: will not run: its group +w+g will not, as +w+a failed"}, next: 2,
		},
		{
			name: "group failed, and what is before it too", about: 4,
			tasks:  []*trowel.Task{root, row(2, 1, "+w+g", trowel.TaskGroupError), row(3, 2, "+w+g+a", trowel.TaskError), row(4, 2, "+w+g+b", blocked, after(3))},
			want:   []string{"parent_failed: will not run: its group +w+g failed", "not_reached: will not run: +w+g+a failed"},
			fields: `{"task":{"id":"2","name":"+w+g"}}`, next: 2,
		},
		{
			name: "error tasks of its group run", about: 4,
			tasks: []*trowel.Task{
				root, row(2, 1, "+w+g", planned, flagged(trowel.TaskDelayedGroupError)), row(3, 2, "+w+g+a", trowel.TaskError),
				row(4, 2, "+w+g+b", blocked, after(3)), row(5, 2, "+w+g^error", running),
			},
			want: []string{"parent_failed: will not run: its group +w+g has failed, and its error tasks run", "not_reached: will not run: +w+g+a failed"},
			next: 2,
		},
		{
			name: "group canceled", about: 3,
			tasks: []*trowel.Task{root, row(2, 1, "+w+g", trowel.TaskCanceled), row(3, 2, "+w+g+a", blocked)},
			want:  []string{"parent_canceled: will not run: its group +w+g was canceled"}, next: 2,
		},
		{
			name: "group skipped", about: 3,
			tasks: []*trowel.Task{root, row(2, 1, "+w+g", trowel.TaskSkipped), row(3, 2, "+w+g+a", blocked)},
			want:  []string{"parent_skipped: will not run: its group +w+g was skipped"}, next: 2,
		},
		{
			name: "an earlier round of its group", about: 3,
			tasks: []*trowel.Task{root, row(2, 1, "+w+g", planned, func(t *trowel.Task) { t.Round = 1 }), row(3, 2, "+w+g+a", blocked)},
			want:  []string{"not_reached: will not run: it belongs to an earlier run of +w+g, which was begun again"},
		},
		{
			name: "killed", about: 3,
			tasks:  []*trowel.Task{root, row(2, 1, "+w+a", running), row(3, 1, "+w+b", blocked, after(2), flagged(trowel.TaskCancelRequested))},
			change: func(f *reason.Facts) { f.KilledBy = "ann" },
			want:   []string{"canceling: attempt 7 is being killed by ann", "upstream: waits for +w+a (running)"},
			fields: `{"by":"ann"}`,
		},
		{
			name: "killed and over", about: 3,
			tasks:  []*trowel.Task{row(1, 0, "+w", trowel.TaskCanceled), row(2, 1, "+w+a", trowel.TaskCanceled), row(3, 1, "+w+b", blocked, after(2), flagged(trowel.TaskCancelRequested))},
			change: func(f *reason.Facts) { f.Attempt.Flags = trowel.AttemptDone | trowel.AttemptCancelRequested },
			want:   []string{"parent_canceled: will not run: its group +w was canceled", "not_reached: will not run: +w+a was canceled"},
			next:   1,
		},
		{
			name: "upstream skipped or canceled", about: 4,
			tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskSkipped), row(3, 1, "+w+b", trowel.TaskCanceled), row(4, 1, "+w+c", blocked, after(2, 3))},
			want:  []string{"not_reached: will not run: +w+a was skipped and +w+b was canceled"}, next: 2,
		},
		{
			name: "a group that will be repeated, after a question", about: 4,
			tasks: []*trowel.Task{
				root, row(2, 1, "+w+g", trowel.TaskGroupRetryWaiting), row(3, 1, "+w+ask", trowel.TaskAwaitingInput), row(4, 2, "+w+g+a", blocked, after(3)),
			},
			want: []string{"parent: waits for its group +w+g, which will be repeated", "upstream: waits for +w+ask (waiting for input)"}, next: 2,
		},
		{
			name: "evaluating", about: 2,
			tasks:  []*trowel.Task{root, row(2, 1, "+w+a", blocked, func(t *trowel.Task) { t.WaitReason = trowel.WaitEvaluating })},
			want:   []string{"evaluating: its options with ${...} are being evaluated"},
			fields: `{"option":null}`,
		},
		{
			name: "workflow paused", about: 1,
			tasks: []*trowel.Task{row(1, 0, "+w", blocked)},
			change: func(f *reason.Facts) {
				f.Attempt.WaitReason = trowel.WaitWorkflowPaused
				f.Admission = &reason.Admission{Pause: &trowel.Pause{Actor: "ann", At: at(0), Note: "month end"}}
			},
			want:   []string{"workflow_paused: workflow w was paused by ann at 2024-01-15 00:00:00 +0000: month end"},
			fields: `{"by":"ann","at":"2024-01-15T00:00:00.000Z","note":"month end"}`,
		},
		{
			name: "the pause is over", about: 1,
			tasks: []*trowel.Task{row(1, 0, "+w", blocked)},
			change: func(f *reason.Facts) {
				f.Attempt.WaitReason, f.Admission = trowel.WaitWorkflowPaused, &reason.Admission{}
			},
			want: []string{"workflow_paused: workflow w was paused; the attempt is about to begin"}, fields: `{}`,
		},
		{
			name: "the next attempt", about: 1,
			tasks: []*trowel.Task{row(1, 0, "+w", blocked)},
			change: func(f *reason.Facts) {
				f.Attempt.WaitReason, f.WorkflowLimits.ActiveAttempts = trowel.WaitAttemptsLimit, 2
				f.Admission = &reason.Admission{Active: []trowel.AttemptID{5, 6}, ActiveCount: 2, Position: 1}
			},
			want:   []string{"attempts_limit: workflow w has 2 of 2 active attempts; it is the next attempt"},
			fields: `{"limit":2,"active":2,"position":1}`,
		},
		{
			name: "one attempt before it, in a zone that is not known", about: 1,
			tasks: []*trowel.Task{row(1, 0, "+w", blocked)},
			change: func(f *reason.Facts) {
				f.Attempt.WaitReason, f.Attempt.Zone, f.WorkflowLimits.ActiveAttempts = trowel.WaitAttemptsLimit, "Nowhere/City", 1
				f.Admission = &reason.Admission{Pause: &trowel.Pause{At: at(0)}, ActiveCount: 1, Position: 2}
			},
			want: []string{
				"workflow_paused: workflow w was paused by somebody at 2024-01-15 00:00:00 +0000",
				"attempts_limit: workflow w has 1 of 1 active attempts; 1 attempt is before it",
			},
		},
		{
			name: "too many attempts, and paused since", about: 2,
			tasks: []*trowel.Task{row(1, 0, "+w", blocked), row(2, 1, "+w+a", blocked)},
			change: func(f *reason.Facts) {
				f.Attempt.WaitReason, f.WorkflowLimits.ActiveAttempts = trowel.WaitAttemptsLimit, 1
				f.Admission = &reason.Admission{Pause: &trowel.Pause{Actor: "ann", At: at(0)}, Active: []trowel.AttemptID{5}, ActiveCount: 1, Position: 3}
			},
			want: []string{
				"workflow_paused: workflow w was paused by ann at 2024-01-15 00:00:00 +0000",
				"attempts_limit: workflow w has 1 of 1 active attempts; 2 attempts are before it",
				"parent: waits for its group +w to begin, which is blocked",
			},
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

// A task of many upstreams names few of them, and what is behind a row of blocked tasks is found.
func TestLongRows(t *testing.T) {
	t.Parallel()
	tasks := []*trowel.Task{row(1, 0, "+w", planned), row(2, 1, "+w+t2", running)}
	var all []trowel.TaskID
	for id := trowel.TaskID(3); id < 50; id++ {
		tasks = append(tasks, row(id, 1, "+w+t", blocked, after(id-1)))
		all = append(all, id)
	}
	join := row(99, 1, "+w+join", blocked, after(all...))
	f := facts(append(tasks, join)...)
	r := reason.Explain(join, f)[0]
	if want := "waits for +w+t (blocked), +w+t (blocked), +w+t (blocked) and 44 more"; r.Text != want {
		t.Errorf("text = %q, want %q", r.Text, want)
	}
	if open, _ := r.Fields.Get("open"); len(open.(param.List)) != 10 { //nolint:forcetypeassert // it is one
		t.Errorf("open = %v, want 10 tasks", open)
	}
	if got := f.Tree.FollowUpstreams(join.ID); got != 2 {
		t.Errorf("FollowUpstreams = %d, want 2", got)
	}
}

// crowded are facts with a pool db whose 4 slots are all used, and two tasks before the one in question.
func crowded(f *reason.Facts) {
	db := &trowel.Pool{ID: 2, Name: "db", Slots: 4}
	need := &trowel.Requirements{Pools: []trowel.PoolRequirement{{Name: "db", Slots: 1}}}
	f.Market.Limits = queue.Limits{Pools: []*trowel.Pool{{ID: 1, Name: "default", Slots: trowel.Unlimited}, db}, Counters: map[string]int{"pool:2": 4}}
	f.Market.Holders = []trowel.BusyTask{
		{AttemptID: 7, TaskID: 50, FullName: "+w+x", Project: "p", Workflow: "w", ProjectID: 1, Acquired: trowel.Acquired{"pool:2": 1}},
		{AttemptID: 8, TaskID: 51, FullName: "+v+y", Project: "p", Workflow: "v", ProjectID: 1, Acquired: trowel.Acquired{"pool:2": 3}},
		{AttemptID: 8, TaskID: 52, FullName: "+v+z", ProjectID: 1},
	}
	f.Market.Ready = []trowel.BusyTask{
		{AttemptID: 8, TaskID: 60, FullName: "+v+a", ProjectID: 1, Workflow: "v", ReadyAt: at(5), Requirements: need},
		{AttemptID: 7, TaskID: 2, FullName: "+w+a", ProjectID: 1, Workflow: "w", ReadyAt: at(10), Requirements: need},
		{AttemptID: 8, TaskID: 61, FullName: "+v+b", ProjectID: 1, Workflow: "v", ReadyAt: at(10), Requirements: need},
		{AttemptID: 8, TaskID: 59, FullName: "+v+c", ProjectID: 1, Workflow: "v", ReadyAt: at(1)},
	}
}

// K819, of ready tasks.
func TestReady(t *testing.T) {
	t.Parallel()
	limited := func(c *trowel.Concurrency) func(*trowel.Task) { return needing(&trowel.Requirements{Concurrency: c}) }
	for _, s := range []scene{
		{name: "nothing keeps it", tasks: []*trowel.Task{row(2, 1, "+w+a", ready)}, want: []string{"dispatch: an agent is about to take it"}, fields: `{}`},
		{
			name: "no such pool", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, wanting("dbx", 1))}, change: crowded,
			want: []string{"pool_missing: there is no pool `dbx`; did you mean `db`?"}, fields: `{"pool":"dbx"}`,
		},
		{
			name: "more slots than there are", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, wanting("db", 5))}, change: crowded,
			want: []string{"pool_too_small: wants 5 slots of pool `db`, which has 4 in all"}, fields: `{"pool":"db","slots":5,"total":4}`,
		},
		{
			name: "a pool of no slots", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, wanting("db", 1))},
			change: func(f *reason.Facts) { crowded(f); f.Market.Limits.Pools[1].Slots = 0 },
			want:   []string{"pool_too_small: pool `db` has no slots, so nothing starts in it"},
		},
		{
			name: "pool full", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, wanting("db", 1))}, change: crowded,
			want: []string{"pool: waits for a slot of pool `db`: 4 of 4 slots are used by +w+x and +v+y of attempt 8; 1 task is before it"},
			fields: `{"pool":"db","slots":1,"open":0,"used_by":[{"attempt":"7","id":"50","name":"+w+x","project":"p","workflow":"w","slots":1,"since":null},` +
				`{"attempt":"8","id":"51","name":"+v+y","project":"p","workflow":"v","slots":3,"since":null}],"position":2,"reserved":null}`,
		},
		{
			name: "the default pool has a limit", tasks: []*trowel.Task{row(2, 1, "+w+a", ready)},
			change: func(f *reason.Facts) {
				crowded(f)
				f.Market.Limits.Pools[0].Slots, f.Market.Limits.Counters["pool:1"] = 1, 1
			},
			want: []string{"pool: waits for a slot of pool `default`: 1 of 1 slots are used by +v+z of attempt 8; 1 task is before it"},
		},
		{
			name: "kept for a wide task", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, wanting("db", 1))},
			change: func(f *reason.Facts) {
				crowded(f)
				f.Market.Rules.ReserveAfter = time.Minute
				f.Market.Limits.Counters["pool:2"] = 2
				f.Market.Ready[0].Requirements = &trowel.Requirements{Pools: []trowel.PoolRequirement{{Name: "db", Slots: 3}}}
			},
			want: []string{"pool: waits for a slot of pool `db`: 2 of 4 slots are used by +w+x and +v+y of attempt 8; they are kept for +v+a of attempt 8, which waits for several; 1 task is before it"},
		},
		{
			name: "weight and aging", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, wanting("db", 2))},
			change: func(f *reason.Facts) {
				crowded(f)
				f.Market.Rules.Aging = time.Second
				heavy := 100
				f.Market.Ready[2].Requirements = &trowel.Requirements{Pools: []trowel.PoolRequirement{{Name: "db", Slots: 1}}, Weight: &heavy}
			},
			want: []string{"pool: waits for 2 slots of pool `db`: 4 of 4 slots are used by +w+x and +v+y of attempt 8; 2 tasks are before it"},
		},
		{
			name: "concurrency", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, limited(&trowel.Concurrency{Limit: 1, Per: trowel.PerWorkflow, Key: "t-1"}))},
			change: func(f *reason.Facts) {
				f.Market.Limits.Counters = map[string]int{"concurrency:w1/w:t-1": 1}
				f.Market.Holders = []trowel.BusyTask{{AttemptID: 8, TaskID: 9, FullName: "+w+a", Acquired: trowel.Acquired{"concurrency:w1/w:t-1": 1}}}
			},
			want:   []string{"concurrency: 1 of 1 tasks with the concurrency key `t-1` are begun: +w+a of attempt 8"}, // V8.4
			fields: `{"key":"t-1","limit":1,"active":1,"per":"workflow"}`,
		},
		{
			name: "tasks of the attempt and of the workflow", tasks: []*trowel.Task{row(2, 1, "+w+a", ready)},
			change: func(f *reason.Facts) {
				f.WorkflowLimits, f.Market.Running = trowel.WorkflowLimits{TasksPerAttempt: 2, TasksPerWorkflow: 3}, 2
				f.Market.Limits.Counters = map[string]int{"tasks:1/w": 3}
			},
			want: []string{
				"max_active_tasks: 2 of 2 tasks of the attempt run, as max_active_tasks says",
				"max_active_tasks: 3 of 3 tasks of workflow w run, as max_active_tasks says",
			},
			fields: `{"scope":"attempt","limit":2,"active":2}`,
		},
		{
			name: "no agent for the queue", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, needing(&trowel.Requirements{Queue: "gpu", Labels: []string{"a", "b"}}))},
			change: func(f *reason.Facts) {
				f.Market.Agents = append(f.Market.Agents,
					&trowel.Agent{ID: "a2", Name: "two", Queues: []string{"gpu"}, Labels: []string{"a", "b"}, SeenAt: at(50), LeaseEnds: at(80)})
			},
			want:   []string{"no_agent: no live agent serves queue `gpu` and has labels `a`, `b`; one was last seen at 2024-01-15 00:00:50 +0000"},
			fields: `{"queue":"gpu","labels":["a","b"],"limits":[],"last_seen_at":"2024-01-15T00:00:50.000Z"}`,
		},
		{
			name: "K823 no agent keeps a limit", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, needing(&trowel.Requirements{Limits: &trowel.CommandLimits{CPU: 2, Memory: 5}}))},
			change: func(f *reason.Facts) { f.Market.Agents[0].Limits.Names = []string{"memory", "pids", "disk"} },
			want:   []string{"no_agent: no live agent of queue `default` keeps the limit `cpu`; agent one keeps only limits of memory, pids and disk"},
			fields: `{"queue":"default","labels":[],"limits":["cpu"],"last_seen_at":null}`,
		},
		{
			name: "K823 an agent of an earlier version keeps no limits", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, needing(&trowel.Requirements{Limits: &trowel.CommandLimits{CPU: 2, Memory: 5}}))},
			want:   []string{"no_agent: no live agent of queue `default` keeps the limits `memory`, `cpu`; agent one keeps no limits of commands"},
			fields: `{"queue":"default","labels":[],"limits":["memory","cpu"],"last_seen_at":null}`,
		},
		{
			name: "K823 limits in a container", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, needing(&trowel.Requirements{Limits: &trowel.CommandLimits{CPU: 2}, Container: true}))},
			change: func(f *reason.Facts) { f.Market.Agents[0].Limits.Container = []string{"cpu"} },
			want:   []string{"dispatch: an agent is about to take it"},
		},
		{
			name: "K823 an agent that keeps the limit is drained", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, needing(&trowel.Requirements{Limits: &trowel.CommandLimits{CPU: 2}}))},
			change: func(f *reason.Facts) {
				f.Market.Agents[0].Limits.Names, f.Market.Agents[0].DrainedAt = []string{"cpu"}, at(1)
				f.Market.Agents = append(f.Market.Agents, &trowel.Agent{ID: "a2", Name: "two", LeaseEnds: at(200)})
			},
			want: []string{"no_agent: no live agent serves queue `default`; agent one would, but is drained"},
		},
		{
			name:  "K823 an agent with too low bounds does not take what another one takes later",
			tasks: []*trowel.Task{row(2, 1, "+w+a", ready, needing(&trowel.Requirements{Limits: &trowel.CommandLimits{Memory: 9}}))},
			change: func(f *reason.Facts) {
				f.Market.Agents[0].Limits.Names, f.Market.Agents[0].Limits.Max.Memory = []string{"memory"}, 8
				f.Market.Agents = append(f.Market.Agents,
					&trowel.Agent{ID: "a2", Name: "two", LeaseEnds: at(200), Slots: 1, Limits: trowel.KeptLimits{Names: []string{"memory"}}})
				f.Market.Busy = map[string]int{"a2": 1}
			},
			want: []string{"agent_slots: all agents that serve queue `default` are busy: 1 of 1 slot of 1 agent are used"},
		},
		{
			name: "drained", tasks: []*trowel.Task{row(2, 1, "+w+a", ready)},
			change: func(f *reason.Facts) { f.Market.Agents[0].DrainedAt = at(1) },
			want:   []string{"no_agent: no live agent serves queue `default`; agent one would, but is drained"},
		},
		{
			name: "resting", tasks: []*trowel.Task{row(2, 1, "+w+a", ready)},
			change: func(f *reason.Facts) { f.Market.Agents[0].SuspendReason = "no room in /tmp" },
			want:   []string{"no_agent: no live agent serves queue `default`; agent one would, but rests: no room in /tmp"},
		},
		{
			name: "no agent with the label", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, needing(&trowel.Requirements{Labels: []string{"ssd"}}))},
			want: []string{"no_agent: no live agent serves queue `default` and has label `ssd`"},
		},
		{
			name: "killed before an agent took it", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, flagged(trowel.TaskCancelRequested))},
			change: func(f *reason.Facts) { f.Market.Agents[0].DrainedAt = at(1) },
			want: []string{
				"canceling: attempt 7 is being killed by somebody",
				"no_agent: no live agent serves queue `default`; agent one would, but is drained",
			},
		},
		{
			name: "tasks that one may not see", tasks: []*trowel.Task{row(2, 1, "+w+a", ready, wanting("db", 1))},
			change: func(f *reason.Facts) {
				crowded(f)
				for i := range f.Market.Holders {
					h := &f.Market.Holders[i]
					h.FullName, h.Project, h.Workflow, h.Hidden = "a task of another project", "", "", true
				}
			},
			want: []string{
				"pool: waits for a slot of pool `db`: 4 of 4 slots are used by a task of another project and a task of another project; 1 task is before it",
			},
			fields: `{"pool":"db","slots":1,"open":0,"used_by":[{"attempt":"","id":"","name":"a task of another project","project":"","workflow":"","slots":1,"since":null},` +
				`{"attempt":"","id":"","name":"a task of another project","project":"","workflow":"","slots":3,"since":null}],"position":2,"reserved":null}`,
		},
		{
			name: "all slots used", tasks: []*trowel.Task{row(2, 1, "+w+a", ready)},
			change: func(f *reason.Facts) {
				crowded(f)
				f.Market.Agents[0].Slots, f.Market.Busy = 2, map[string]int{"a1": 2}
			},
			want:   []string{"agent_slots: all agents that serve queue `default` are busy: 2 of 2 slots of 1 agent are used; 2 tasks are before it"},
			fields: `{"queue":"default","agents":1,"slots":2,"position":3}`,
		},
		{
			name: "the whole site is full", tasks: []*trowel.Task{row(2, 1, "+w+a", ready)},
			change: func(f *reason.Facts) {
				f.Market.Limits.MaxRunning, f.Market.Limits.Counters = 5, map[string]int{queue.SiteCounter: 5}
			},
			want:   []string{"site_limit: 5 of 5 tasks run in all, as executor.max_running_tasks says"},
			fields: `{"limit":5,"active":5}`,
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.about, s.tasks = 2, append([]*trowel.Task{row(1, 0, "+w", planned)}, s.tasks...)
			s.run(t)
		})
	}
}

// K819, of tasks that wait for a time or for what is below them.
func TestWaiting(t *testing.T) {
	t.Parallel()
	retried := func(t *trowel.Task) {
		t.Local, t.StateParams = param.Of("_retry", 3, "sh>", "x"), param.Of("retry_count", 2)
	}
	root := row(1, 0, "+w", planned)
	for _, s := range []scene{
		{
			name: "retry", about: 2, tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskRetryWaiting, waiting(trowel.WaitRetry, 2), retried)},
			change: func(f *reason.Facts) { f.LastTry = &trowel.Try{LastLines: []string{"connecting", "refused"}} },
			want:   []string{"retry: failed and is tried again at 2024-01-15 00:01:00 +0000, retry 2 of 3: refused"},
			fields: `{"at":"2024-01-15T00:01:00.000Z","retry":2,"limit":3,"failure":"refused"}`,
		},
		{
			name: "poll", about: 2, tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskRetryWaiting, waiting(trowel.WaitPoll, 1))},
			want:   []string{"poll: looks again at 2024-01-15 00:01:00 +0000; it has looked once"},
			fields: `{"at":"2024-01-15T00:01:00.000Z","checks":1}`,
		},
		{
			name: "group retry", about: 2,
			tasks: []*trowel.Task{
				root, row(2, 1, "+w+g", trowel.TaskGroupRetryWaiting, waiting("group_retry", 0), retried), row(3, 2, "+w+g+a", trowel.TaskError),
				row(4, 2, "+w+g+b", blocked, after(3)),
			},
			want:   []string{"group_retry: failed and is repeated at 2024-01-15 00:01:00 +0000, retry 2 of 3: +w+g+a failed"},
			fields: `{"at":"2024-01-15T00:01:00.000Z","retry":2,"limit":3,"causes":[{"id":"3","name":"+w+g+a"}]}`,
		},
		{
			name: "children", about: 1,
			tasks:  []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskSuccess), row(3, 1, "+w+b", blocked), row(4, 1, "+w+c", running), row(5, 4, "+w+c+d", running)},
			want:   []string{"children: waits for the tasks in it: 1 running, 1 blocked, 1 done; the first is +w+c"},
			fields: `{"counts":{"running":1,"blocked":1,"success":1},"task":{"id":"4","name":"+w+c"}}`, next: 4,
		},
		{
			name: "children of a killed attempt", about: 2,
			tasks: []*trowel.Task{root, row(2, 1, "+w+g", planned, flagged(trowel.TaskCancelRequested)), row(4, 2, "+w+g+c", running)},
			want:  []string{"children: is canceled when the tasks in it have stopped: 1 running; the first is +w+g+c"}, next: 4,
		},
		{
			name: "handlers", about: 2,
			tasks: []*trowel.Task{root, row(2, 1, "+w+a", planned, flagged(trowel.TaskDelayedError)), row(4, 2, "+w+a^error", running)},
			want:  []string{"handlers: has failed, and what runs for that has not ended: +w+a^error"}, fields: `{"phase":"error","task":{"id":"4","name":"+w+a^error"}}`, next: 4,
		},
		{name: "deferred", about: 2, tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskDeferred)}, want: []string{"deferred: waits for a trigger"}},
		{name: "a person", about: 2, tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskAwaitingInput)}, want: []string{"awaiting_input: waits for an answer"}},
		{name: "running", about: 2, tasks: []*trowel.Task{root, row(2, 1, "+w+a", running)}},
		{name: "done", about: 2, tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskSuccess)}},
		{
			name: "retry whose limit is a template", about: 2,
			tasks: []*trowel.Task{root, row(2, 1, "+w+a", trowel.TaskRetryWaiting, waiting("retry", 1), func(t *trowel.Task) {
				t.Local, t.Error = param.Of("_retry", "${n}"), param.Of("message", strings.Repeat("x", 300)+"\nat line 1")
			})},
			want:   []string{"retry: failed and is tried again at 2024-01-15 00:01:00 +0000, retry 1: " + strings.Repeat("x", 197) + "..."},
			fields: `{"at":"2024-01-15T00:01:00.000Z","retry":1,"limit":null,"failure":"` + strings.Repeat("x", 197) + `..."}`,
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

// An attempt of a backfill has no tasks while it waits for its turn.
func TestBackfill(t *testing.T) {
	t.Parallel()
	f := facts()
	f.Admission = &reason.Admission{Delayed: true, Before: &trowel.AttemptSummary{
		Attempt: trowel.Attempt{ID: 6}, Session: trowel.Session{ID: 3, Time: at(0)},
	}}
	list := reason.ExplainAttempt(f)
	want := "waits for its turn in a backfill: the session before it, 2024-01-15 00:00:00 +0000, has attempt 6, which is running"
	if len(list) != 1 || list[0].Code != trowel.WaitBackfill || list[0].Text != want {
		t.Errorf("ExplainAttempt = %+v, want backfill: %s", list, want)
	}
	f.Admission = &reason.Admission{Delayed: true, NextRunAt: at(60)}
	want = `{"state":"waiting","at":"2024-01-15T00:01:00.000Z"}`
	if list := reason.ExplainAttempt(f); len(list) != 1 || list[0].Text != "waits for its turn in a backfill" || param.JSON(list[0].Fields) != want {
		t.Errorf("ExplainAttempt without the session before it = %+v, want fields %s", list, want)
	}
	f.Attempt.Flags = trowel.AttemptDone
	if list := reason.ExplainAttempt(f); len(list) != 0 {
		t.Errorf("ExplainAttempt of an attempt that is done = %+v", list)
	}
}

// Every task of a tree that waits is counted under its first reason.
func TestCounts(t *testing.T) {
	t.Parallel()
	f := facts(
		row(1, 0, "+w", planned), row(2, 1, "+w+a", running), row(3, 1, "+w+b", blocked, after(2)), row(4, 1, "+w+c", blocked, after(3)),
		row(5, 1, "+w+d", ready), row(6, 1, "+w+e", ready), row(7, 1, "+w+f", trowel.TaskSuccess),
	)
	got := f.Tree.Waiting(f, []reason.Waiting{{Code: trowel.WaitPool, Arg: "db", Count: 1, Sample: 6}, {Code: trowel.WaitPool, Arg: "db", Count: 1, Sample: 5}})
	want := []reason.Waiting{
		{Code: trowel.WaitUpstream, Count: 2, Sample: 3}, {Code: trowel.WaitPool, Arg: "db", Count: 2, Sample: 5}, {Code: trowel.WaitChildren, Count: 1, Sample: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Waiting (-want +got):\n%s", diff)
	}
}

// States that say themselves what their task waits for count as what they say, those of groups by what goes on in them.
func TestCountsOfStates(t *testing.T) {
	t.Parallel()
	f := facts(
		row(1, 0, "+w", planned, flagged(trowel.TaskDelayedError)), row(2, 1, "+w+a", trowel.TaskRetryWaiting, waiting("retry", 1)),
		row(3, 1, "+w+b", trowel.TaskRetryWaiting, waiting("poll", 1)), row(4, 1, "+w+c", trowel.TaskGroupRetryWaiting),
		row(5, 1, "+w+d", trowel.TaskDeferred), row(6, 1, "+w+e", trowel.TaskAwaitingInput), row(7, 1, "+w+f", trowel.TaskRetryWaiting),
	)
	got := map[string]trowel.TaskID{}
	for _, w := range f.Tree.Waiting(f, nil) {
		got[string(w.Code)] = w.Sample
	}
	want := map[string]trowel.TaskID{"handlers": 1, "retry": 2, "poll": 3, "group_retry": 4, "deferred": 5, "awaiting_input": 6}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("first tasks of each code (-want +got):\n%s", diff)
	}
}

// A chain goes on with the child that has failed, or else was canceled, and with the one that keeps its group from ending.
// Of tasks that are not known it goes nowhere, and a row of tasks that wait for each other has an end.
func TestChain(t *testing.T) {
	t.Parallel()
	f := facts(
		row(1, 0, "+w", planned), row(2, 1, "+w+a", trowel.TaskSuccess), row(3, 1, "+w+b", trowel.TaskCanceled), row(4, 1, "+w+c", trowel.TaskError),
		row(5, 1, "+w+d", blocked, after(6)), row(6, 1, "+w+e", blocked, after(5)),
		row(7, 1, "+w+g", planned), row(8, 7, "+w+g+a", trowel.TaskCanceled), row(9, 7, "+w+g+b", trowel.TaskSuccess),
	)
	for _, c := range []struct {
		what      string
		got, want trowel.TaskID
	}{
		{"FirstOpen(+w)", f.Tree.FirstOpen(1), 7},
		{"FirstOpen(+w+g)", f.Tree.FirstOpen(7), 0},
		{"FirstOpen of an unknown task", f.Tree.FirstOpen(99), 0},
		{"FailedChild(+w)", f.Tree.FailedChild(1), 4},
		{"FailedChild(+w+g)", f.Tree.FailedChild(7), 8},
		{"FailedChild of an unknown task", f.Tree.FailedChild(99), 0},
		{"FollowUpstreams(+w+d)", f.Tree.FollowUpstreams(5), 5},
	} {
		if c.got != c.want {
			t.Errorf("%s = %d, want %d", c.what, c.got, c.want)
		}
	}
	if diff := cmp.Diff([]trowel.TaskID{5, 6}, f.Tree.ListWaiting(4, 2)); diff != "" {
		t.Errorf("ListWaiting(4, 2) (-want +got):\n%s", diff)
	}
}

// The end of a chain says how a task is that has no reason.
func TestStanding(t *testing.T) {
	t.Parallel()
	f := facts()
	for state, want := range map[trowel.TaskState]string{
		running:                 "runs since 2024-01-15 00:00:20 +0000 on agent one, try 2",
		trowel.TaskSuccess:      "succeeded at 2024-01-15 00:00:10 +0000",
		trowel.TaskError:        "failed at 2024-01-15 00:00:10 +0000: no such table ...",
		trowel.TaskGroupError:   "failed at 2024-01-15 00:00:10 +0000, as tasks in it failed",
		trowel.TaskCanceled:     "was canceled at 2024-01-15 00:00:10 +0000",
		trowel.TaskSkipped:      "was skipped at 2024-01-15 00:00:10 +0000",
		blocked:                 "is blocked",
		trowel.TaskRetryWaiting: "is waiting for a retry",
	} {
		task := row(2, 1, "+w+a", state, func(t *trowel.Task) {
			t.AgentID, t.Try, t.ClaimedAt, t.Error = "a1", 2, at(20), param.Of("message", "no such table\nat line 1")
		})
		if got := reason.Standing(task, f); got != want {
			t.Errorf("Standing of %s = %q, want %q", state, got, want)
		}
	}
}

// Every code is in the table once, with what it means, and the table has no others.
func TestCodes(t *testing.T) {
	t.Parallel()
	rows := map[trowel.WaitCode]int{}
	for _, e := range reason.Codes() {
		if e.About == "" || !strings.HasSuffix(e.About, ".") && !strings.Contains(e.About, ". ") {
			t.Errorf("entry %+v", e)
		}
		rows[e.Code]++
	}
	for _, code := range trowel.WaitCodes() {
		if rows[code] != 1 {
			t.Errorf("code %q has %d rows in Codes of code.go, want 1", code, rows[code])
		}
		delete(rows, code)
	}
	for code := range rows {
		t.Errorf("code %q has a row and is not one of trowel.WaitCodes", code)
	}
}
