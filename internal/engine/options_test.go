package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/param"
)

// trial is an attempt whose events a test makes happen one by one.
type trial struct {
	t   *testing.T
	img *engine.TaskTree
	now time.Time
}

func newTrial(t *testing.T, tree string, wait trowel.WaitCode) *trial {
	t.Helper()
	body, err := model.Body(tree)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := dig.Compile("", "+m", body)
	if err != nil {
		t.Fatal(err)
	}
	attempt, setting := testSetting()
	now := time.Unix(1705276800, 0).UTC()
	img, _, err := engine.Start(attempt, setting, engine.Begin{Tasks: tasks, Wait: wait}, now, sequence{}, engine.Limits{Tasks: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return &trial{t: t, img: img, now: now}
}

func (tr *trial) apply(ev engine.Event) engine.Applied {
	tr.t.Helper()
	tr.now = tr.now.Add(time.Second)
	applied := tr.img.Apply(ev, tr.now, sequence{}, engine.Limits{Tasks: 1_000_000})
	if err := tr.img.Recount(); err != nil {
		tr.t.Fatal(err)
	}
	return applied
}

// find returns the newest task of a name, without that of the root.
func (tr *trial) find(name string) *trowel.Task {
	tr.t.Helper()
	var found *trowel.Task
	for _, row := range tr.img.List() {
		if strings.TrimPrefix(row.FullName, "+m") == name {
			found = row
		}
	}
	if found == nil {
		tr.t.Fatalf("there is no %s", name)
	}
	return found
}

// run claims a ready task and reports an outcome, success unless another is given.
func (tr *trial) run(name string, r trowel.Report) engine.Applied {
	tr.t.Helper()
	row := tr.find(name)
	tr.apply(engine.Claim{Task: row.ID, Agent: "a"})
	r.TaskID, r.AttemptID, r.Try = row.ID, row.AttemptID, row.Try
	if r.Outcome == 0 {
		r.Outcome = trowel.OutcomeSuccess
	}
	return tr.apply(engine.Report{Report: r})
}

func (tr *trial) subtasks(name, body string) {
	tr.t.Helper()
	sub, err := model.Body(body)
	if err != nil {
		tr.t.Fatal(err)
	}
	tr.run(name, trowel.Report{Result: trowel.Result{Subtasks: sub}})
}

func failure() trowel.Report {
	return trowel.Report{Outcome: trowel.OutcomeFailure, Error: param.Of("message", "no")}
}

func (tr *trial) want(name string, state trowel.TaskState, needs string) {
	tr.t.Helper()
	row := tr.find(name)
	text := ""
	if row.Requirements != nil {
		data, err := json.Marshal(row.Requirements)
		if err != nil {
			tr.t.Fatal(err)
		}
		text = string(data)
	}
	if row.State != state || text != needs {
		tr.t.Errorf("%s is %s and needs %s, want %s, %s", name, row.State, text, state, needs)
	}
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, tree, needs string }{
		{"K101 nothing is asked for", "{+a: {op>: 1}}", ``},
		{"K802 a pool", "{+a: {op>: 1, _pool: p}}", `{"pools":[{"name":"p","slots":1}]}`},
		{"K802 slots", "{+a: {op>: 1, _pool: p, _pool_slots: 3}}", `{"pools":[{"name":"p","slots":3}]}`},
		{"K802 slots of the default pool", "{+a: {op>: 1, _pool_slots: 3}}", `{"pools":[{"name":"default","slots":3}]}`},
		{
			"K802 K805 several pools, in the order of their names", "{+a: {op>: 1, _pool: [{name: z, slots: 2}, b, c, a]}}",
			`{"pools":[{"name":"a","slots":1},{"name":"b","slots":1},{"name":"c","slots":1},{"name":"z","slots":2}]}`,
		},
		{"K802 slots that are inherited go with a pool by its name only", "{_pool_slots: 3, +a: {op>: 1, _pool: [b]}}", `{"pools":[{"name":"b","slots":1}]}`},
		{"K106 the nearest body", "{_pool: p, +a: {op>: 1, _pool: q}}", `{"pools":[{"name":"q","slots":1}]}`},
		{"K106 a value replaces the inherited one whole", "{_queue: {name: q, labels: [x]}, +a: {op>: 1, _queue: {labels: [y]}}}", `{"labels":["y"]}`},
		{"K106 null ends inheritance", "{_pool: p, _queue: q, +a: {op>: 1, _pool: null}}", `{"queue":"q"}`},
		{"K107 as if written there", "{_defaults: {_pool: p}, +a: {op>: 1}}", `{"pools":[{"name":"p","slots":1}]}`},
		{"K107 a plain key beats _defaults at one level", "{_defaults: {_pool: p, _queue: q}, _pool: r, +a: {op>: 1}}", `{"queue":"q","pools":[{"name":"r","slots":1}]}`},
		{"K107 the nearest wins", "{_pool: r, +a: {_defaults: {_pool: p}, +b: {op>: 1}}, +c: {op>: 1}}", `{"pools":[{"name":"p","slots":1}]}`},
		{"V1.2 K105 not from _export", "{_export: {_pool: p, _queue: q}, +a: {op>: 1}}", ``},
		{"K806 a weight", "{+a: {op>: 1, _priority_weight: -7}}", `{"weight":-7}`},
		{"K810 so many of this full name in the workflow", "{+a: {op>: 1, _concurrency: 2}}", `{"concurrency":{"limit":2,"per":"workflow","key":"+m+a"}}`},
		{
			"K810 K811 in full", "{+a: {op>: 1, _concurrency: {limit: 2, per: site, key: k, on_limit: fail, include_waiting: false}}}",
			`{"concurrency":{"limit":2,"per":"site","key":"k","fail":true,"running_only":true}}`,
		},
		{"K817 queue and labels", "{+a: {op>: 1, _queue: {name: q, labels: [b, a, b]}}}", `{"queue":"q","labels":["a","b"]}`},
		{
			"K823 limits", "{+a: {op>: 1, _limits: {memory: 512MiB, cpu: 1.5, pids: 500, disk: 10}}}",
			`{"limits":{"memory":536870912,"cpu":1.5,"pids":500,"disk":10}}`,
		},
		{"K106 K823 limits are inherited part by part", "{_limits: {memory: 1, cpu: 2}, +a: {_limits: {memory: 3}, +b: {op>: 1, _limits: {pids: 4}}}}", `{"limits":{"memory":3,"cpu":2,"pids":4}}`},
		{"K106 K823 null ends the inheritance of one part", "{_limits: {memory: 1, cpu: 2}, +a: {op>: 1, _limits: {memory: null}}}", `{"limits":{"cpu":2}}`},
		{"K106 K823 null ends the inheritance of all parts", "{_limits: {memory: 1, cpu: 2}, +a: {op>: 1, _limits: null}}", ``},
		{"K107 K823 limits in _defaults", "{_defaults: {_limits: {memory: 1, cpu: 2}}, _limits: {cpu: 3}, +a: {op>: 1}}", `{"limits":{"memory":1,"cpu":3}}`},
		{"K823 limits of a container", "{_export: {docker: {image: x}}, +a: {op>: 1, _limits: {pids: 3}}}", `{"limits":{"pids":3},"container":true}`},
		{"K823 a container without limits", "{+a: {op>: 1, docker: {image: x}}}", ``},
		{"K817 the default queue", "{+a: {op>: 1, _queue: default}}", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, c.tree, "")
			name := "+a"
			if strings.Contains(c.tree, "+b") {
				name = "+a+b"
			}
			tr.want(name, trowel.TaskReady, c.needs)
		})
	}
}

// V1.6 K106 K111: handler trees inherit only the queue, and not that of _defaults; generated trees inherit
// all.
func TestInheritance(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, `{_pool: p, _queue: q, _defaults: {_queue: d}, +g: {_pool: null, +t: {op>: 1}, _error: {op>: 1}}, +h: {+u: {op>: 1}}}`, "")
	tr.want("+g+t", trowel.TaskReady, `{"queue":"q"}`)
	tr.run("+g+t", failure())
	tr.want("+g^error", trowel.TaskReady, `{"queue":"q"}`)

	tr = newTrial(t, `{_queue: q, +g: {_defaults: {_queue: null}, +t: {op>: 1}, _error: {op>: 1}}}`, "")
	tr.want("+g+t", trowel.TaskReady, "")
	tr.run("+g+t", failure())
	tr.want("+g^error", trowel.TaskReady, `{"queue":"q"}`)

	tr = newTrial(t, `{_pool: p, _defaults: {_queue: d}, +g: {op>: 1, _priority_weight: 3, _error: {_pool: e, +x: {op>: 1}}, _check: {op>: 1}}}`, "")
	tr.subtasks("+g", "{+x: {op>: 1}, +y: {op>: 1, _pool: null}}")
	tr.want("+g^sub+x", trowel.TaskReady, `{"queue":"d","pools":[{"name":"p","slots":1}],"weight":3}`)
	tr.run("+g^sub+x", trowel.Report{})
	tr.want("+g^sub+y", trowel.TaskReady, `{"queue":"d","weight":3}`)
	tr.run("+g^sub+y", trowel.Report{})
	tr.want("+g^check", trowel.TaskReady, `{"queue":"d","pools":[{"name":"p","slots":1}],"weight":3}`)
	tr.run("+g^check", failure())
	tr.want("+g^error+x", trowel.TaskReady, `{"pools":[{"name":"e","slots":1}]}`)
	tr.run("+g^error+x", trowel.Report{})
	tr.want("^failure-alert", trowel.TaskReady, ``)

	tr = newTrial(t, `{_pool: p, +g: {op>: 1, _error: {_pool: e, +x: {op>: 1}}}}`, "")
	tr.run("+g", failure())
	tr.want("+g^error+x", trowel.TaskReady, `{"pools":[{"name":"e","slots":1}]}`)
}

// V1.7 K107: _retry of _defaults is given to operator tasks as a parameter, and does not repeat what they
// generate.
// V1.2 K109: options are cut out of what operators and templates see; parameters of these names stay.
func TestLeaseWithoutOptions(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, `{_defaults: {_retry: 1}, _export: {_pool: p}, +c: {op>: 1, _queue: q, _pool: x, _concurrency: 1, _retryable: 1}, +d: {op>: 1, _retry: 2}}`, "")
	own := func(name string) string { return param.JSON(tr.img.Lease(tr.find(name).ID).Local) }
	if got, want := own("+c"), `{"op>":1,"_retryable":1}`; got != want {
		t.Errorf("own keys of +c = %s, want %s", got, want)
	}
	if got, want := param.JSON(tr.find("+c").Local), `{"op>":1,"_queue":"q","_pool":"x","_concurrency":1,"_retryable":1}`; got != want {
		t.Errorf("K120: the row keeps %s, want %s", got, want)
	}
	if got, _ := tr.img.Scope(tr.find("+c").ID).Get("_pool"); got != "p" {
		t.Errorf("the parameter _pool = %v, want p", got)
	}
	if got, want := own("+d"), `{"op>":1,"_retry":2}`; got != want {
		t.Errorf("own keys of +d = %s, want %s", got, want)
	}
	retry := func(name string) string {
		value, _ := tr.img.Lease(tr.find(name).ID).Scope.Get("_retry")
		return param.JSON(value)
	}
	if got := retry("+c"); got != "1" {
		t.Errorf("_retry of +c = %s, want 1", got)
	}
	tr.subtasks("+c", "{+x: {op>: 1}, +y: {op>: 1, _retry: 2}}")
	if got := retry("+c^sub+x") + retry("+c^sub+y"); got != "1null" {
		t.Errorf("_retry of +c^sub+x, +c^sub+y = %s, want 1 and its own", got)
	}
	tr.run("+c^sub+x", failure())
	tr.want("+c", trowel.TaskGroupError, `{"queue":"q","pools":[{"name":"x","slots":1}],"concurrency":{"limit":1,"per":"workflow","key":"+m+c"}}`)
}

// K109: values with expressions are evaluated when a task is otherwise ready, not for later tries, and again
// after a group retry.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, `{_export: {_queue: other}, +a: {op>: 1, _pool: "${p}", _pool_slots: 2, _queue: {labels: ["${l}"]}, _retry: 1}}`, "")
	tr.want("+a", trowel.TaskBlocked, "")
	row := tr.find("+a")
	if row.WaitReason != trowel.WaitEvaluating {
		t.Errorf("waits for %q", row.WaitReason)
	}
	list := tr.img.Evaluations()
	if len(list) != 1 || param.JSON(list[0].Values) != `{"_pool":"${p}","_queue":{"labels":["${l}"]}}` || list[0].Scope.Has("_queue") {
		t.Fatalf("evaluations = %v", list)
	}
	values := param.Of("_pool", "x", "_queue", param.Of("labels", param.List{"gpu"}), "other", 1)
	tr.apply(engine.Evaluated{Task: row.ID, Values: values})
	const needs = `{"labels":["gpu"],"pools":[{"name":"x","slots":2}]}`
	tr.want("+a", trowel.TaskReady, needs)
	if len(tr.apply(engine.Evaluated{Task: row.ID, Err: errors.New("late")}).Changes) > 0 {
		t.Error("a second answer changes something")
	}
	tr.run("+a", trowel.Report{Outcome: trowel.OutcomeRetry})
	tr.apply(engine.Due{Task: row.ID})
	tr.want("+a", trowel.TaskReady, needs)

	tr.subtasks("+a", "{+x: {op>: 1, _pool: null, _queue: null}}")
	tr.run("+a^sub+x", failure())
	tr.want("+a", trowel.TaskGroupRetryWaiting, needs)
	if applied := tr.apply(engine.Due{Task: row.ID}); len(applied.Evaluations) != 1 {
		t.Errorf("%d evaluations after a group retry, want 1", len(applied.Evaluations))
	}
	tr.apply(engine.Evaluated{Task: row.ID, Values: param.Of("_pool", "y")})
	tr.want("+a", trowel.TaskReady, `{"pools":[{"name":"y","slots":2}]}`)
}

// V1.8 K109 K110: an expression that fails, and a value of a wrong type, fail the task, and its _error
// runs.
func TestEvaluationFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		answer  engine.Evaluated
		message string
	}{
		{"K109", engine.Evaluated{Err: errors.New("no ${p} (ReferenceError)")}, "no {p} (ReferenceError) (template)"},
		{"K110", engine.Evaluated{Values: param.Of("_pool_slots", "0")}, `Parameter '_pool_slots' must be 1 or more, but is "0" (config)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, `{+a: {op>: 1, _pool_slots: "${p}", _error: {op>: 1}}, +b: {op>: 1}}`, "")
			c.answer.Task = tr.find("+a").ID
			tr.apply(c.answer)
			tr.want("+a", trowel.TaskPlanned, "")
			tr.want("+a^error", trowel.TaskReady, "")
			if got, _ := tr.find("+a").Error.Get("message"); got != c.message {
				t.Errorf("message = %q, want %q", got, c.message)
			}
			tr.run("+a^error", trowel.Report{})
			tr.want("+b", trowel.TaskBlocked, "")
			tr.want("", trowel.TaskPlanned, "") // the alert
		})
	}
}

// K809 K810: what a task has taken is given back when it leaves RUNNING, but for its place under a
// concurrency limit, which it keeps until it is done.
func TestGivenBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, option string
		waits, ends  trowel.Acquired
	}{
		{"K810 waiting states count", "2", trowel.Acquired{"pool:3": 2}, trowel.Acquired{"pool:3": 2, trowel.CounterConcurrency.Counter("k"): 1}},
		{
			"K810 include_waiting is false", "{limit: 2, include_waiting: false}",
			trowel.Acquired{"pool:3": 2, trowel.CounterConcurrency.Counter("k"): 1},
			trowel.Acquired{"pool:3": 2, trowel.CounterConcurrency.Counter("k"): 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, "{+a: {op>: 1, _concurrency: "+c.option+"}}", "")
			row := tr.find("+a")
			all := trowel.Acquired{"pool:3": 2, trowel.CounterConcurrency.Counter("k"): 1}
			for _, try := range []struct {
				outcome trowel.Outcome
				given   trowel.Acquired
			}{{trowel.OutcomePoll, c.waits}, {trowel.OutcomeReleased, c.waits}, {trowel.OutcomeFailure, c.ends}} {
				tr.apply(engine.Claim{Task: row.ID, Agent: "a", Acquired: all})
				applied := tr.apply(engine.Report{Report: trowel.Report{TaskID: row.ID, Try: row.Try, Outcome: try.outcome}})
				if diff := cmp.Diff(try.given, applied.Changes[0].Given); diff != "" || !applied.Changes[0].Freed || !applied.Changes[0].Detail {
					t.Errorf("after %d: freed = %v, given (-want +got):\n%s", try.outcome, applied.Changes[0].Freed, diff)
				}
				tr.apply(engine.Due{Task: row.ID})
			}
		})
	}
}

// A task below one that holds a place under the same key does not wait for it.
func TestConcurrencyOfGenerated(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, "{+a: {op>: 1, _concurrency: {limit: 1, key: k}}, +b: {op>: 1, _concurrency: {limit: 1, key: k, include_waiting: false}}}", "")
	tr.subtasks("+a", "{+x: {op>: 1}, +y: {op>: 1, _concurrency: {limit: 1, key: other}}}")
	tr.want("+a^sub+x", trowel.TaskReady, "")
	tr.run("+a^sub+x", trowel.Report{})
	tr.want("+a^sub+y", trowel.TaskReady, `{"concurrency":{"limit":1,"per":"workflow","key":"other"}}`)
	tr.run("+a^sub+y", trowel.Report{})
	tr.subtasks("+b", "{+x: {op>: 1}}")
	tr.want("+b^sub+x", trowel.TaskReady, `{"concurrency":{"limit":1,"per":"workflow","key":"k","running_only":true}}`)
}

// K811: a ready task whose limit is full fails, and its _error runs.
func TestFull(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, "{+a: {op>: 1, _error: {op>: 1}}}", "")
	tr.apply(engine.ConcurrencyFull{Task: tr.find("+a").ID, Reason: "2 of 2 run"})
	tr.want("+a^error", trowel.TaskReady, "")
	if got, _ := tr.find("+a").Error.Get("message"); got != "2 of 2 run (limit)" {
		t.Errorf("message = %q", got)
	}
	if len(tr.apply(engine.ConcurrencyFull{Task: tr.find("+a").ID}).Changes) > 0 {
		t.Error("it fails twice")
	}
}

// K813 K816: nothing of an attempt that waits goes on; it ends at once by a kill.
func TestAdmission(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, "{+a: {op>: 1}}", trowel.WaitWorkflowPaused)
	tr.want("", trowel.TaskBlocked, "")
	tr.want("+a", trowel.TaskBlocked, "")
	if got := tr.img.Attempt.WaitReason; got != trowel.WaitWorkflowPaused {
		t.Errorf("the attempt waits for %q", got)
	}
	tr.apply(engine.Admit{})
	tr.want("+a", trowel.TaskReady, "")
	if len(tr.apply(engine.Admit{}).Changes) > 0 || tr.img.Attempt.WaitReason != "" {
		t.Error("it is admitted twice")
	}

	tr = newTrial(t, "{+a: {op>: 1}}", trowel.WaitAttemptsLimit)
	if applied := tr.apply(engine.Kill{}); !applied.Ended || tr.img.Attempt.WaitReason != "" || tr.img.Attempt.Flags.Status() != "killed" {
		t.Errorf("after a kill: ended = %v, waits for %q, %s", applied.Ended, tr.img.Attempt.WaitReason, tr.img.Attempt.Flags.Status())
	}
	tr.want("", trowel.TaskCanceled, "")
	tr.want("+a", trowel.TaskBlocked, "")
	if len(tr.apply(engine.Admit{}).Changes) > 0 {
		t.Error("it is admitted after its end")
	}
}

// A kill cancels at once what is being evaluated.
func TestKillWhileEvaluating(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, `{+a: {op>: 1, _pool: "${p}"}}`, "")
	if applied := tr.apply(engine.Kill{}); !applied.Ended {
		t.Error("the attempt goes on")
	}
	tr.want("+a", trowel.TaskCanceled, "")
	if len(tr.apply(engine.Evaluated{Task: tr.find("+a").ID}).Changes) > 0 {
		t.Error("it is evaluated after its end")
	}
}

// V5.9 of agents that are gone in every try: the task fails after so many in a row, and its _retry is not
// used. A report in between restarts the count.
func TestPoison(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, "{+a: {op>: 1, _retry: 5}}", "")
	row := tr.find("+a")
	lose := func() engine.Applied {
		tr.apply(engine.Claim{Task: row.ID, Agent: "mole"})
		return tr.apply(engine.Release{Task: row.ID, Try: row.Try, Lost: true, Poison: 3})
	}
	lose()
	lose()
	if row.Losses != 2 {
		t.Errorf("losses = %d, want 2", row.Losses)
	}
	tr.run("+a", trowel.Report{Outcome: trowel.OutcomePoll})
	tr.apply(engine.Due{Task: row.ID})
	lose()
	lose()
	tr.want("+a", trowel.TaskReady, "")
	tr.apply(engine.Claim{Task: row.ID, Agent: "mole"})
	tr.apply(engine.Release{Task: row.ID, Try: row.Try}) // given back
	lose()
	tr.want("+a", trowel.TaskError, "")
	want := "The task is set aside: 3 agents in a row were lost while they ran it, the last one was mole (agent.poison_limit: 3) (lost)"
	if got, _ := row.Error.Get("message"); got != want {
		t.Errorf("message = %q", got)
	}
}

// The next ready task is the one that became ready first, without those that run.
func TestNextReady(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, "{_parallel: true, +a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}}", "")
	tr.apply(engine.Claim{Task: tr.find("+a").ID})
	tr.apply(engine.Claim{Task: tr.find("+b").ID})
	tr.apply(engine.Release{Task: tr.find("+a").ID, Try: 1})
	var names []string
	for id, ready := tr.img.NextReady(); ready; id, ready = tr.img.NextReady() {
		names = append(names, tr.img.Find(id).FullName)
		tr.apply(engine.Claim{Task: id})
	}
	if diff := cmp.Diff([]string{"+m+c", "+m+a"}, names); diff != "" || tr.img.Running() != 3 {
		t.Errorf("%d run, ready are (-want +got):\n%s", tr.img.Running(), diff)
	}
}

// A task that waits for ever before one that is polled for ever costs no memory.
func TestReadyStaysSmall(t *testing.T) {
	t.Parallel()
	tr := newTrial(t, "{_parallel: true, +waits: {op>: 1}, +polls: {op>: 1}}", "")
	for range 1000 {
		tr.run("+polls", trowel.Report{Outcome: trowel.OutcomePoll})
		tr.apply(engine.Due{Task: tr.find("+polls").ID})
	}
	if n := tr.img.Queued(); n > 30 {
		t.Errorf("%d entries for 3 tasks", n)
	}
	if id, ready := tr.img.NextReady(); !ready || id != tr.find("+waits").ID {
		t.Errorf("next is %d, want the one that waits", id)
	}
}
