package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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

// scenario is a workflow and what happens to it. Each line of moves is an event, an arrow, and the
// exact trace of what it leads to; the reference model plays along and is compared after each.
//
//	start                  begin the attempt; that the tasks of the workflow are new is left out
//	claim +a               an agent takes the task; the next five do so themselves if it is ready
//	ok +a {store: {k: 1}}  its operator succeeds; the result may have sub, export, reset, store
//	fail +a message        it fails
//	poll +a 5s {n: 1}      it asks to be run again with these state params
//	retry +a 5s {n: 1}     it asks the same because of a failure
//	job +a 5s {n: 1}       it asks the same, and a job outside goes on
//	left +a                it could not cancel its job
//	back +a                its agent gives it back
//	lose +a                the agent of its try is gone
//	late +a                the report of the try before comes
//	again +a               its last report comes once more
//	due +a                 the task's instant comes
//	early +a               its timer fires too early
//	kill                   the attempt is killed
//	sla {+x: {op>: 1}}     the attempt is late, with this block besides its time
//	resume failed          another attempt begins that resumes this one; by "from +a" from a task
//	crash                  the task tree is built again from rows
//	show +a                flags, tries and other fields of the task
//	scope +a k             what its templates see under the key
//
// In traces "." is the root, other names lack the root's; copies of a task have one prime more each.
type scenario struct {
	name  string
	tree  string // YAML
	later string // what a resume begins, if the revision is another
	limit int    // of tasks; 0 is none
	moves string
}

func playScenario(t *testing.T, s scenario) {
	t.Helper()
	p := newPlayer(t, s)
	var got []string
	lines := strings.Split(strings.TrimSpace(s.moves), "\n")
	width := 0
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
		event, _, _ := strings.Cut(lines[i], "->")
		width = max(width, len(strings.TrimSpace(event)))
	}
	for i, line := range lines {
		event, rest, _ := strings.Cut(line, "->")
		event = strings.TrimSpace(event)
		answer, err := p.line(event)
		if err != nil {
			t.Fatalf("line %d, %s: %v\n%s", i+1, event, err, strings.Join(got, "\n"))
		}
		if err := p.d.compare(); err != nil {
			t.Fatalf("%s: the model differs: %v", event, err)
		}
		lines[i] = fmt.Sprintf("%-*s -> %s", width, event, strings.TrimSpace(rest))
		got = append(got, fmt.Sprintf("%-*s -> %s", width, event, answer))
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("moves differ (-want +got):\n%s\ngot:\n%s", diff, strings.Join(got, "\n"))
	}
}

func runScenarios(t *testing.T, list []scenario) {
	t.Helper()
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			playScenario(t, s)
		})
	}
}

// player turns lines into events.
type player struct {
	scenario
	d    *drive
	last map[trowel.TaskID]trowel.Report
}

func newPlayer(t *testing.T, s scenario) *player {
	t.Helper()
	body, err := model.Body(strings.ReplaceAll(s.tree, "\t", " "))
	if err != nil {
		t.Fatal(err)
	}
	if s.limit == 0 {
		s.limit = 1000
	}
	return &player{
		scenario: s, last: map[trowel.TaskID]trowel.Report{},
		d: &drive{
			Case: model.Case{Body: body, Limit: s.limit}, kept: newMemory(), now: time.Unix(1705276800, 0).UTC(),
			rng: rand.New(rand.NewPCG(1, 2)), state: map[trowel.TaskID]outside{},
		},
	}
}

func (p *player) line(line string) (string, error) {
	verb, rest, _ := strings.Cut(line, " ")
	name, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	rest = strings.TrimSpace(rest)
	switch verb {
	case "start":
		tasks, err := dig.Compile("", "+w", p.d.Body)
		if err != nil {
			return "", err
		}
		return p.trace(p.d.start(tasks))
	case "kill":
		return p.trace(p.d.apply(line, engine.Kill{}, func() { p.d.want.Kill(p.d.now) }))
	case "crash":
		return "", p.d.crash()
	case "sla":
		return p.sla(strings.TrimPrefix(line, "sla "))
	case "resume":
		return p.resume(name, rest)
	}
	id := p.find(name)
	if id == 0 {
		return "", fmt.Errorf("there is no %s", name)
	}
	switch verb {
	case "claim":
		ev := engine.Claim{Task: id, Agent: "agent"}
		return p.trace(p.d.apply(line, ev, func() { p.d.want.Claim(id, nil, p.d.now) }))
	case "due", "early":
		if at := p.d.want.Task(id).RetryAt; verb == "due" && at.After(p.d.now) {
			p.d.now = at
		}
		return p.trace(p.d.apply(line, engine.Due{Task: id}, func() { p.d.want.Due(id, p.d.now) }))
	case "show":
		return p.show(id), nil
	case "scope":
		value, ok := p.d.img.Scope(id).Get(rest)
		if !ok {
			return "absent", p.d.compareScope(id)
		}
		return param.JSON(value), p.d.compareScope(id)
	case "again":
		return p.report(line, p.last[id])
	case "lose":
		try := p.d.want.Task(id).Try
		return p.trace(p.d.apply(line, engine.Release{Task: id, Try: try}, func() { p.d.want.Release(id, try, false, 0, p.d.now) }))
	case "late":
		return p.report(line, trowel.Report{TaskID: id, Try: p.d.want.Task(id).Try - 1, Outcome: trowel.OutcomeSuccess})
	}
	r, err := reported(verb, rest)
	if err != nil {
		return "", err
	}
	claim := ""
	if p.d.want.Task(id).State == trowel.TaskReady {
		if claim, err = p.line("claim " + name); err != nil {
			return "", err
		}
		claim += ", "
	}
	r.TaskID, r.AttemptID, r.Try = id, p.d.img.Attempt.ID, p.d.want.Task(id).Try
	p.last[id] = r
	text, err := p.report(line, r)
	return claim + text, err
}

func (p *player) report(line string, r trowel.Report) (string, error) {
	return p.trace(p.d.apply(line, engine.Report{Report: r}, func() { p.d.want.Report(r, p.d.now) }))
}

// reported reads what an operator says.
func reported(verb, rest string) (r trowel.Report, err error) {
	if verb == "fail" {
		return trowel.Report{Outcome: trowel.OutcomeFailure, Error: param.Of("message", rest)}, nil
	}
	if verb == "left" {
		return trowel.Report{Outcome: trowel.OutcomeFailure, Job: true}, nil
	}
	if verb == "back" {
		return trowel.Report{Outcome: trowel.OutcomeReleased}, nil
	}
	if verb != "ok" {
		wait, after, _ := strings.Cut(rest, " ")
		if r.RetryIn, err = time.ParseDuration(wait); err != nil {
			return r, err
		}
		rest = after
	}
	body := param.New()
	if rest != "" {
		if body, err = model.Body(rest); err != nil {
			return r, err
		}
	}
	switch verb {
	case "ok":
		r.Outcome = trowel.OutcomeSuccess
		r.Result, err = result(body)
	case "poll":
		r.Outcome, r.StateParams = trowel.OutcomePoll, body
	case "job":
		r.Outcome, r.StateParams, r.Job = trowel.OutcomePoll, body, true
	case "retry":
		r.Outcome, r.StateParams = trowel.OutcomeRetry, body
	default:
		err = fmt.Errorf("unknown event")
	}
	return r, err
}

func result(body *param.Map) (r trowel.Result, err error) {
	read := param.NewReader(body)
	sub, errSub := read.OptMap("sub")
	export, errExport := read.OptMap("export")
	store, errStore := read.OptMap("store")
	keys, errReset := read.ListOr("reset", nil)
	r = trowel.Result{Subtasks: sub, Export: export, Store: store}
	for _, key := range keys {
		text, _ := param.AsString(key)
		r.ResetKeys = append(r.ResetKeys, text)
	}
	return r, errors.Join(errSub, errExport, errStore, errReset)
}

// find finds a task by its name in traces.
func (p *player) find(name string) trowel.TaskID {
	for _, t := range p.d.want.Tasks {
		if p.name(t.ID) == name {
			return t.ID
		}
	}
	return 0
}

func (p *player) name(id trowel.TaskID) string {
	own := p.d.img.Find(id).FullName
	name := strings.TrimPrefix(own, "+w")
	if name == "" || strings.HasPrefix(name, "^") {
		name = "." + name
	}
	for _, row := range p.d.img.List() {
		if row.ID < id && row.FullName == own {
			name += "'"
		}
	}
	return name
}

// trace tells the changes of the last event.
func (p *player) trace(err error) (string, error) {
	if err != nil {
		return "", err
	}
	var parts []string
	for _, c := range p.d.last.Changes {
		if c.New && len(p.d.trace) == 0 && c.To == trowel.TaskBlocked {
			continue
		}
		text := p.name(c.Task.ID) + " " + c.To.String()
		switch {
		case c.New && c.To == trowel.TaskSuccess:
			text = p.name(c.Task.ID) + " resumed"
		case c.New:
			text = p.name(c.Task.ID) + " new"
		case c.From == c.To:
			text += " (" + string(c.Transition) + ")"
		case c.To == trowel.TaskRetryWaiting || c.To == trowel.TaskGroupRetryWaiting:
			text += " " + c.Task.RetryAt.Sub(p.d.now).String()
		}
		parts = append(parts, text)
	}
	for _, warning := range p.d.last.Warnings {
		parts = append(parts, "! "+strings.ReplaceAll(warning, "\n", " / "))
	}
	if p.d.last.Ended {
		parts = append(parts, p.d.img.Attempt.Flags.Status())
	}
	return strings.Join(parts, ", "), nil
}

// show prints the fields of a task besides its state.
func (p *player) show(id trowel.TaskID) string {
	t := p.d.img.Find(id)
	var parts []string
	for flag, name := range map[trowel.TaskFlags]string{
		trowel.TaskCancelRequested: "cancel_requested", trowel.TaskDelayedError: "delayed_error",
		trowel.TaskDelayedGroupError: "delayed_group_error", trowel.TaskInitial: "initial", trowel.TaskHasJob: "job",
	} {
		if t.Flags&flag != 0 {
			parts = append(parts, name)
		}
	}
	slices.Sort(parts)
	add := func(name string, value any, present bool) {
		if present {
			parts = append(parts, fmt.Sprintf("%s=%v", name, value))
		}
	}
	if p.d.img.Find(id).State == trowel.TaskRunning && p.d.img.Lease(id).Cancel {
		parts = append(parts, "cancels")
	}
	add("try", t.Try, t.Try > 0)
	add("retry_count", t.RetryCount, t.RetryCount > 0)
	add("wait", t.WaitReason, t.WaitReason != "")
	add("started", t.StartedAt.Sub(time.Unix(1705276800, 0)), !t.StartedAt.IsZero())
	add("params", param.JSON(t.StateParams), t.StateParams.Len() > 0)
	add("sub", param.JSON(t.Result.Subtasks), t.Result.Subtasks.Len() > 0)
	add("export", param.JSON(t.Result.Export), t.Result.Export.Len() > 0)
	add("reset", t.Result.ResetKeys, len(t.Result.ResetKeys) > 0)
	add("store", param.JSON(t.Result.Store), t.Result.Store.Len() > 0)
	message, _ := t.Error.Get("message")
	add("error", message, t.Error.Len() > 0)
	return strings.Join(parts, " ")
}
