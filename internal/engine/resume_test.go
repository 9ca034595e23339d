package engine_test

import (
	"fmt"
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

// resume begins another attempt that resumes the present one.
func (p *player) resume(mode, from string) (string, error) {
	var r resumed
	var err error
	switch mode {
	case "failed":
		if r.rows, err = engine.ResumeFailed(p.d.rows(-1)); err == nil {
			r.want, err = p.d.want.ResumeFailed()
		}
	default:
		if r.rows, err = engine.ResumeFrom(p.d.rows(-1), from); err == nil {
			r.want, err = p.d.want.ResumeFrom(p.matched(from))
		}
	}
	if err != nil {
		return "refused: " + err.Error(), nil //nolint:nilerr // it is the answer
	}
	next := p.scenario
	if p.later != "" {
		next.tree = p.later
	}
	body, err := model.Body(next.tree)
	if err != nil {
		return "", err
	}
	tasks, err := dig.Compile("", "+w", body)
	if err != nil {
		return "", err
	}
	d := newDrive(model.Case{Body: body, Limit: p.d.Limit}, 1, newMemory())
	d.now, d.resumed = p.d.now, r
	p.d, p.last = d, map[trowel.TaskID]trowel.Report{}
	return p.trace(d.start(tasks))
}

// matched is the full name that ends with a pattern.
func (p *player) matched(pattern string) (name string) {
	for _, t := range p.d.want.Tasks {
		if strings.HasSuffix(t.Name, pattern) {
			name = t.Name
		}
	}
	return name
}

// sla makes the attempt late.
func (p *player) sla(text string) (string, error) {
	body, err := model.Body(text)
	if err != nil {
		return "", err
	}
	config := body.Clone()
	config.Set("duration", "01:00")
	alert, _ := param.NewReader(body).BoolOr("alert", true)
	fail, _ := param.NewReader(body).BoolOr("fail", false)
	rest := body.Clone()
	rest.Delete("alert")
	rest.Delete("fail")
	return p.trace(p.d.apply("sla", engine.SLA{Config: config}, func() { p.d.want.SLA(alert, fail, rest, p.d.now) }))
}

// Resuming: language X65 to X77.
func TestResume(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "X65 failed: all that succeeded counts, with what it stored, groups too",
			tree: "{+g: {+a: {op>: 1}}, +b: {op>: 1}, +c: {op>: 1}}",
			moves: `
				start                      -> . planned, +g planned, +g+a ready
				ok +g+a {store: {k: 1}}    -> +g+a running, +g+a success, +g success, +b ready
				fail +b no                 -> +b running, +b error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				resume failed              -> +g resumed, +g+a resumed, . planned, +b ready
				scope +b k                 -> 1
				show +g+a                  -> initial store={"k":1}
				ok +b                      -> +b running, +b success, +c ready
				ok +c                      -> +c running, +c success, . success, success`,
		},
		{
			name: "X65 a success is not resumed",
			tree: "{+a: {op>: 1}}",
			moves: `
				start         -> . planned, +a ready
				ok +a         -> +a running, +a success, . success, success
				resume failed -> refused: Resuming successfully completed attempts is not supported`,
		},
		{
			name: "X65 X66 from: what comes before the task and its ancestors, and that must have succeeded",
			tree: "{+a: {op>: 1}, +g: {+b: {op>: 1}, +c: {op>: 1}}, +d: {op>: 1}}",
			moves: `
				start          -> . planned, +a ready
				ok +a          -> +a running, +a success, +g planned, +g+b ready
				resume from +c -> refused: Resuming non-successful tasks is not allowed: task_id=4
				ok +g+b        -> +g+b running, +g+b success, +g+c ready
				ok +g+c        -> +g+c running, +g+c success, +g success, +d ready
				resume from +c -> +a resumed, +g+b resumed, . planned, +g planned, +g+c ready`,
		},
		{
			name: "X65 from the root nothing is taken over",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start          -> . planned, +a ready
				ok +a          -> +a running, +a success, +b ready
				resume from +w -> . planned, +a ready`,
		},
		{
			name: "X72 patterns",
			tree: "{+g: {+same: {op>: 1}}, +h: {+same: {op>: 1}}}",
			moves: `
				start             -> . planned, +g planned, +g+same ready
				resume from +same -> refused: io.digdag.core.workflow.TaskMatchPattern$MultipleTaskMatchException: Task pattern '+same' is ambiguous. Matching candidates are [+w+g+same, +w+h+same]
				resume from +none -> refused: io.digdag.core.workflow.TaskMatchPattern$NoMatchException: Task pattern '+none' doesn't match with any tasks.
				resume from g     -> refused: Match patterns excepting direct child (+name+name) is not supported: g`,
		},
		{
			name: "X69 generated tasks of a task that runs again",
			tree: "{+a: {op>: 1}}",
			moves: `
				start                                     -> . planned, +a ready
				ok +a {sub: {+x: {op>: 1}, +y: {op>: 1}}} -> +a running, +a planned, +a^sub new, +a^sub+x new, +a^sub+y new, +a^sub planned, +a^sub+x ready
				ok +a^sub+x {store: {k: 1}}               -> +a^sub+x running, +a^sub+x success, +a^sub+y ready
				fail +a^sub+y no                          -> +a^sub+y running, +a^sub+y error, +a^sub group_error, +a group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				resume failed                             -> . planned, +a ready
				crash                                     ->
				ok +a {sub: {+x: {op>: 1}, +y: {op>: 1}}} -> +a running, +a planned, +a^sub new, +a^sub+x resumed, +a^sub+y new, +a^sub planned, +a^sub+y ready
				scope +a^sub+y k                          -> 1`,
		},
		{
			name: "X69a the alert and _error tasks that succeeded are not run again",
			tree: "{_error: {op>: 1}, +a: {op>: 1}}",
			moves: `
				start              -> . planned, +a ready
				fail +a no         -> +a running, +a error, .^failure-alert new, .^error new, . planned (failure_tasks), .^failure-alert ready, .^error ready
				ok .^failure-alert -> .^failure-alert running, .^failure-alert success
				ok .^error         -> .^error running, .^error success, . group_error, error
				resume failed      -> . planned, +a ready
				fail +a no         -> +a running, +a error, .^failure-alert resumed, .^error resumed, . planned (failure_tasks), . group_error, error`,
		},
		{
			name: "X70 what was stored below a resumed operator is kept, in its order, without resets",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start                                                                 -> . planned, +a ready
				ok +a {sub: {+x: {op>: 1}, +y: {op>: 1}}, store: {k: 0}, reset: [z]}  -> +a running, +a planned, +a^sub new, +a^sub+x new, +a^sub+y new, +a^sub planned, +a^sub+x ready
				ok +a^sub+x {store: {m: {x: 1}}}                                      -> +a^sub+x running, +a^sub+x success, +a^sub+y ready
				ok +a^sub+y {reset: [m], store: {m: {y: 2}}}                          -> +a^sub+y running, +a^sub+y success, +a^sub success, +a success, +b ready
				fail +b no                                                            -> +b running, +b error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				resume failed                                                         -> +a resumed, . planned, +b ready
				show +a                                                               -> initial sub={"+x":{"op>":1},"+y":{"op>":1}} store={"k":0,"m":{"y":2}}
				scope +b m                                                            -> {"x":"session","y":2}`,
		},
		{
			name: "X71 of several tries of one name the last counts",
			tree: "{+g: {_retry: 1, +a: {op>: 1}, +b: {op>: 1}}}",
			moves: `
				start         -> . planned, +g planned, +g+a ready
				ok +g+a       -> +g+a running, +g+a success, +g+b ready
				fail +g+b no  -> +g+b running, +g+b error, +g group_retry_waiting 0s
				due +g        -> +g ready, +g+a' new, +g+b' new, +g planned, +g+a' ready
				resume failed -> . planned, +g planned, +g+a ready`,
		},
		{
			name:  "X67 X76 X77 another revision: old bodies of what is resumed, new tasks run and nobody waits for those in a resumed group",
			tree:  "{+g: {+a: {op>: old}}, +b: {op>: 1}}",
			later: "{+new: {op>: 1}, +g: {+a: {op>: new}, +more: {op>: 1}}, +b: {op>: 1}}",
			moves: `
				start                    -> . planned, +g planned, +g+a ready
				ok +g+a                  -> +g+a running, +g+a success, +g success, +b ready
				fail +b no               -> +b running, +b error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				resume failed            -> +g resumed, +g+a resumed, . planned, +g+more ready, +new ready, +b ready
				ok +b                    -> +b running, +b success
				claim +g+more            -> +g+more running
				ok +new                  -> +new running, +new success, . success, success
				ok +g+more {store: {k: 1}} -> `,
		},
		{
			name:  "X76 X77 P4 what runs in a resumed group sees what is stored meanwhile by all that comes before it, however far",
			tree:  "{+g: {+a: {op>: 1}}, +last: {op>: 1}}",
			later: "{+far: {op>: 1}, +near: {op>: 1}, +g: {+a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}}, +last: {op>: 1}}",
			moves: `
				start                       -> . planned, +g planned, +g+a ready
				ok +g+a                     -> +g+a running, +g+a success, +g success, +last ready
				fail +last no               -> +last running, +last error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				resume failed               -> +g resumed, +g+a resumed, . planned, +g+b ready, +far ready, +last ready
				scope +g+b far              -> absent
				scope +last far             -> absent
				ok +far {store: {far: 1}}   -> +far running, +far success, +near ready
				scope +g+b far              -> 1
				scope +last far             -> 1
				ok +g+b {store: {b: 1}}     -> +g+b running, +g+b success, +g+c ready
				scope +g+c far              -> 1
				scope +last b               -> 1
				ok +near {store: {near: 1}} -> +near running, +near success
				scope +g+c near             -> 1
				scope +last near            -> 1`,
		},
		{
			name:  "X76 X77 P4 so does what runs below a group that waits itself",
			tree:  "{+g: {+h: {+a: {op>: 1}}, +b: {op>: 1}}}",
			later: "{+new: {op>: 1}, +g: {+h: {+a: {op>: 1}, +more: {op>: 1}}, +b: {op>: 1}}}",
			moves: `
				start                     -> . planned, +g planned, +g+h planned, +g+h+a ready
				ok +g+h+a                 -> +g+h+a running, +g+h+a success, +g+h success, +g+b ready
				fail +g+b no              -> +g+b running, +g+b error, +g group_error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				resume failed             -> +g+h resumed, +g+h+a resumed, . planned, +g+h+more ready, +new ready
				scope +g+h+more k         -> absent
				ok +new {store: {k: 1}}   -> +new running, +new success, +g planned, +g+b ready
				scope +g+h+more k         -> 1`,
		},
		{
			name:  "X77 a kill that ends the root at once settles what nobody waits for as well",
			tree:  "{+g: {+a: {op>: 1}}, +b: {op>: 1}}",
			later: "{_retry: 1, +g: {+a: {op>: 1}, +more: {+x: {op>: 1}}}, +b: {op>: 1}}",
			moves: `
				start         -> . planned, +g planned, +g+a ready
				ok +g+a       -> +g+a running, +g+a success, +g success, +b ready
				fail +b no    -> +b running, +b error, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready
				resume failed -> +g resumed, +g+a resumed, . planned, +g+more planned, +b ready, +g+more+x ready
				fail +b no    -> +b running, +b error, . group_retry_waiting 0s
				kill          -> . canceled, +g+more planned (cancel), +g+more+x canceled, +g+more canceled, killed`,
		},
	})
}

// TestResumedBody checks X67: the body of the source counts, and its instants.
func TestResumedBody(t *testing.T) {
	t.Parallel()
	attempt, setting := testSetting()
	changed := time.Unix(99, 0)
	source := []*trowel.Task{
		{ID: 1, FullName: "+w", Group: true, State: trowel.TaskGroupError},
		{
			ID: 2, ParentID: 1, FullName: "+w+a", State: trowel.TaskSuccess, Local: param.Of("op>", "old"), Export: param.Of("x", 1),
			Try: 3, RetryCount: 4, StartedAt: changed, UpdatedAt: changed, StateParams: param.Of("s", 1), AgentID: "agent",
		},
	}
	rows, err := engine.ResumeFailed(source)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := dig.Compile("", "+w", param.Of("+a", param.Of("op>", "new"), "+b", param.Of("op>", 1)))
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := engine.Start(attempt, setting, engine.Begin{Tasks: tasks, Resumed: rows}, time.Unix(200, 0), sequence{}, engine.Limits{Tasks: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := &trowel.Task{
		ID: 2, AttemptID: attempt.ID, ParentID: 1, FullName: "+w+a", State: trowel.TaskSuccess, Flags: trowel.TaskInitial,
		Local: param.Of("op>", "old"), Export: param.Of("x", 1), UpdatedAt: changed, ResumingID: 2,
	}
	if diff := cmp.Diff(want, img.Find(2), cmp.Comparer(func(a, b *param.Map) bool { return param.Equal(a, b) })); diff != "" {
		t.Errorf("resumed task (-want +got):\n%s", diff)
	}
}

// TestRefusedBeginning checks that an attempt that is too large, and is kept, fails at once with the
// reason (S27a), which its _error tasks see.
func TestRefusedBeginning(t *testing.T) {
	t.Parallel()
	attempt, setting := testSetting()
	body, err := model.Body("{_error: {op>: 1}, +a: {op>: 1}, +b: {op>: 1}, +c: {op>: 1}}")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := dig.Compile("", "+w", body)
	if err != nil {
		t.Fatal(err)
	}
	limits := engine.Limits{Tasks: 4}
	begin := engine.Begin{Tasks: tasks, Refused: engine.CheckSize(tasks, limits)}
	img, applied, err := engine.Start(attempt, setting, begin, time.Unix(200, 0), sequence{}, limits)
	if err != nil {
		t.Fatal(err)
	}
	var trace []string
	for _, c := range applied.Changes {
		trace = append(trace, fmt.Sprintf("%s %s", c.Task.FullName, c.To))
	}
	const want = "+w blocked, +w planned, +w^failure-alert blocked, +w^error blocked, +w planned, +w^failure-alert ready, +w^error ready"
	if got := strings.Join(trace, ", "); got != want {
		t.Errorf("beginning = %s, want %s", got, want)
	}
	message, _ := img.Scope(3).Get("error")
	if got := param.JSON(message); !strings.Contains(got, "Too many tasks. Limit: 4, Current: 1, Adding: 4") {
		t.Errorf("error of the _error task = %s", got)
	}
	for id := trowel.TaskID(2); id <= 3; id++ {
		img.Apply(engine.Claim{Task: id, Agent: "agent"}, time.Unix(201, 0), sequence{}, limits)
		report := trowel.Report{TaskID: id, Try: 1, Outcome: trowel.OutcomeSuccess}
		applied = img.Apply(engine.Report{Report: report}, time.Unix(202, 0), sequence{}, limits)
	}
	if !applied.Ended || img.Attempt.Flags.Status() != "error" {
		t.Errorf("ended = %v as %s, want an error", applied.Ended, img.Attempt.Flags.Status())
	}
}

// TestKillBeforeBeginning checks that an attempt without tasks is killed at once, and does not begin
// any more.
func TestKillBeforeBeginning(t *testing.T) {
	t.Parallel()
	attempt, setting := testSetting()
	img, err := engine.NewTaskTree(attempt, setting, nil)
	if err != nil {
		t.Fatal(err)
	}
	limits := engine.Limits{Tasks: 10}
	if applied := img.Apply(engine.Kill{}, time.Unix(1, 0), sequence{}, limits); !applied.Ended || img.Attempt.Flags.Status() != "killed" || !img.Done() {
		t.Errorf("Kill: %+v, flags %d", applied, img.Attempt.Flags)
	}
	tasks, err := dig.Compile("", "+w", param.Of("+a", param.Of("op>", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if applied := img.Apply(engine.Begin{Tasks: tasks}, time.Unix(2, 0), sequence{}, limits); len(applied.Changes) > 0 {
		t.Errorf("Begin after a kill changes %d tasks", len(applied.Changes))
	}
}

// SLA: language S45 to S47.
func TestSLA(t *testing.T) {
	t.Parallel()
	runScenarios(t, []scenario{
		{
			name: "S46 the tasks run beside the others",
			tree: "{+a: {op>: 1}, +b: {op>: 1}}",
			moves: `
				start               -> . planned, +a ready
				sla {+x: {op>: 1}}  -> .^sla^alert new, .^sla new, .^sla+x new, .^sla^alert ready, .^sla planned, .^sla+x ready
				show .^sla+x        ->
				ok +a               -> +a running, +a success, +b ready
				ok +b               -> +b running, +b success
				ok .^sla^alert      -> .^sla^alert running, .^sla^alert success
				ok .^sla+x          -> .^sla+x running, .^sla+x success, .^sla success, . success, success
				sla {+x: {op>: 1}}  -> `,
		},
		{
			name: "S46 a rest that is empty is a group without tasks; one that does not compile is left out",
			tree: "{+a: {op>: 1}}",
			moves: `
				start                                  -> . planned, +a ready
				sla {alert: false}                     -> .^sla new, .^sla planned, .^sla success
				sla {foo: 1, +x: {op>: 1}}             -> .^sla^alert new, .^sla^alert ready, ! cannot add the tasks of the SLA of +w: io.digdag.core.repository.ModelValidationException: Validating workflow failed / +w^sla contains invalid keys: 'foo': "{"foo":1}"`,
		},
		{
			name: "S47 fail makes the root fail when all else is done, and its error comes last",
			tree: "{_error: {op>: 1}, +a: {op>: 1}}",
			moves: `
				start                          -> . planned, +a ready
				sla {alert: false, fail: true} -> .^sla^fail new, .^sla new, .^sla^fail ready, .^sla planned, .^sla success
				fail .^sla^fail SLA violation  -> .^sla^fail running, .^sla^fail error
				fail +a own                    -> +a running, +a error, .^failure-alert new, .^error new, . planned (failure_tasks), .^failure-alert ready, .^error ready
				scope .^error error            -> {"message":"SLA violation"}`,
		},
		{
			name: "S45b they wait while the root waits for its retry, are not copied, and fail every round",
			tree: "{_retry: 1, +a: {op>: 1}}",
			moves: `
				start                          -> . planned, +a ready
				fail +a no                     -> +a running, +a error, . group_retry_waiting 0s
				sla {alert: false, fail: true} -> .^sla^fail new, .^sla new
				due .                          -> . ready, +a' new, . planned, .^sla^fail ready, .^sla planned, +a' ready, .^sla success
				fail .^sla^fail SLA violation  -> .^sla^fail running, .^sla^fail error
				ok +a'                         -> +a' running, +a' success, .^failure-alert new, . planned (failure_tasks), .^failure-alert ready`,
		},
		{
			name: "S45a nothing is added to a killed attempt",
			tree: "{+a: {op>: 1}}",
			moves: `
				start              -> . planned, +a ready
				claim +a           -> +a running
				kill               -> . planned (cancel), +a running (cancel)
				sla {+x: {op>: 1}} -> `,
		},
	})
}
