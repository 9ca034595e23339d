package engine_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/engine"
	"github.com/trowel-project/trowel/internal/engine/model"
	"github.com/trowel-project/trowel/internal/param"
)

// drive plays one random case: it gives the same events to a task tree and to the reference model, and
// compares them after each.
type drive struct {
	model.Case

	rng   *rand.Rand
	now   time.Time
	img   *engine.TaskTree
	other *engine.TaskTree // what another server knows: some transactions behind
	want  *model.Model
	kept  keeper
	trace []string

	seen  map[string]int            // tries of each name so far
	runs  map[trowel.TaskID]int     // which of them a running task is in
	past  []trowel.Report           // to be sent again
	state map[trowel.TaskID]outside // what the changes told about each task
	last  engine.Applied            // what the last event led to
	ended int
	kills int
	late  bool            // the SLA has fired
	wait  trowel.WaitCode // why the attempt may not begin at once
	uses  trowel.Acquired // what all tasks hold, as claims and changes tell it

	resumed resumed
}

// outside is what an observer of changes knows about a task.
type outside struct {
	state trowel.TaskState
	name  string
	job   bool // waits with a job outside
}

// keeper stands for the store: it keeps what changes say, and gives it back after a crash.
type keeper interface {
	write(img *engine.TaskTree, changes []engine.Change) error
	read(newerThan int64) ([]*trowel.Task, error)
}

// maxEvents is far more than any case needs to come to its end.
const maxEvents = 5000

// play plays a case with an order of events. An error tells where the task tree left the rules.
func play(k model.Case, order uint64, kept keeper) (d *drive, err error) {
	d = newDrive(k, order, kept)
	return d, d.play(maxEvents)
}

func newDrive(k model.Case, order uint64, kept keeper) *drive {
	wait := trowel.WaitCode("")
	if k.Seed%7 == 1 {
		wait = trowel.WaitAttemptsLimit
	}
	return &drive{
		wait: wait, uses: trowel.Acquired{},
		Case: k, kept: kept, now: time.Unix(1705276800, 0).UTC(),
		rng:  rand.New(rand.NewPCG(order, 2)),
		seen: map[string]int{}, runs: map[trowel.TaskID]int{}, state: map[trowel.TaskID]outside{},
	}
}

// play plays up to so many events. Fewer than maxEvents leave the attempt running.
func (d *drive) play(events int) error {
	tasks, err := dig.Compile("", "+w", d.Body)
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	if err := d.start(tasks); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	for range events {
		if d.img.Done() {
			return d.after()
		}
		if err := d.move(); err != nil {
			return fmt.Errorf("event %d, %s: %w", len(d.trace), d.trace[len(d.trace)-1], err)
		}
	}
	if events < maxEvents {
		return nil
	}
	return fmt.Errorf("not done after %d events", maxEvents)
}

// sequence hands out ids without gaps, as the model does.
type sequence struct{}

func (sequence) Next(after trowel.TaskID) trowel.TaskID { return after + 1 }

func testSetting() (trowel.Attempt, *trowel.AttemptContext) {
	setting := &trowel.AttemptContext{
		Project:  trowel.Project{ID: 1, Name: "p"},
		Revision: trowel.Revision{ID: 2, Params: param.Of("a", "revision", "r", "revision")},
		Workflow: trowel.Workflow{ID: 3, Name: "w"},
		Session:  trowel.Session{ID: 4, Time: time.Unix(1705276800, 0).UTC(), UUID: "11111111-2222-3333-4444-555555555555"},
	}
	return trowel.Attempt{ID: 7, SessionID: 4, Zone: "UTC", Params: param.Of("a", "session", "m", param.Of("x", "session"))}, setting
}

func (d *drive) start(tasks []dig.Task) error {
	attempt, setting := testSetting()
	limits := engine.Limits{Tasks: d.Limit}
	begin := engine.Begin{Tasks: tasks, Resumed: d.resumed.rows, Wait: d.wait}
	img, applied, err := engine.Start(attempt, setting, begin, d.now, sequence{}, limits)
	if len(tasks)+1 > d.Limit {
		if err == nil {
			return fmt.Errorf("%d tasks began, want at most %d", len(tasks), d.Limit-1)
		}
		d.img, _ = engine.NewTaskTree(attempt, setting, []*trowel.Task{{ID: 1, State: trowel.TaskError}})
		return nil
	}
	if err != nil {
		return err
	}
	d.img, d.want = img, model.Start(tasks, d.resumed.want, d.Limit, d.wait, d.now)
	if err := d.observe(applied); err != nil {
		return err
	}
	if d.other, err = d.image(d.rows(-1)); err != nil {
		return err
	}
	return d.compare()
}

// move makes one random event happen to both.
func (d *drive) move() error {
	d.now = d.now.Add(time.Duration(d.rng.IntN(700)) * time.Millisecond)
	if err := d.look(); err != nil {
		return err
	}
	switch dice := d.rng.IntN(100); {
	case dice < 3:
		return d.stray()
	case dice < 10:
		return d.crash()
	case dice < 11 && d.kills < 2 && d.Seed%4 == 0:
		d.kills++
		return d.apply("kill", engine.Kill{}, func() { d.want.Kill(d.now) })
	case dice < 12 && !d.late:
		return d.sla()
	case d.want.Wait != "" && dice < 60:
		return d.apply("admit", engine.Admit{}, func() { d.want.Admit(d.now) })
	case dice < 14:
		if ids := d.in(trowel.TaskRunning); len(ids) > 0 {
			return d.release(ids[d.rng.IntN(len(ids))])
		}
	case dice < 15:
		if ids := d.in(trowel.TaskReady); len(ids) > 0 {
			id := ids[d.rng.IntN(len(ids))]
			return d.apply("full "+d.want.Task(id).Name, engine.ConcurrencyFull{Task: id, Reason: "full"}, func() { d.want.Full(id, "full", d.now) })
		}
	case dice < 24:
		if ids := d.waiting(); len(ids) > 0 {
			return d.evaluate(ids[d.rng.IntN(len(ids))])
		}
	case dice < 45:
		if ids := d.in(trowel.TaskReady); len(ids) > 0 {
			return d.claim(ids[d.rng.IntN(len(ids))])
		}
	case dice < 80:
		if ids := d.in(trowel.TaskRunning); len(ids) > 0 {
			return d.report(ids[d.rng.IntN(len(ids))])
		}
	default:
		if ids := d.in(trowel.TaskRetryWaiting, trowel.TaskGroupRetryWaiting); len(ids) > 0 {
			return d.due(ids[d.rng.IntN(len(ids))])
		}
	}
	return nil
}

func (d *drive) in(states ...trowel.TaskState) []trowel.TaskID {
	var ids []trowel.TaskID
	for _, t := range d.want.Tasks {
		if slices.Contains(states, t.State) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

func (d *drive) claim(id trowel.TaskID) error {
	name := d.want.Task(id).Name
	d.seen[name]++
	d.runs[id] = d.seen[name]
	holds := d.Holds(d.want.Task(id))
	for name, n := range d.img.Find(id).Acquired {
		d.uses[name] -= n
	}
	for name, n := range holds {
		d.uses[name] += n
	}
	ev := engine.Claim{Task: id, Agent: "agent", Acquired: maps.Clone(holds)}
	err := d.apply("claim "+name, ev, func() { d.want.Claim(id, holds, d.now) })
	if err != nil {
		return err
	}
	return d.compareScope(id)
}

func (d *drive) report(id trowel.TaskID) error {
	t := d.want.Task(id)
	r := d.Outcome(t.Name, d.runs[id])
	r.TaskID, r.AttemptID, r.Try = id, d.img.Attempt.ID, t.Try
	d.past = append(d.past, r)
	return d.apply(fmt.Sprintf("report %s %d", t.Name, r.Outcome), engine.Report{Report: r}, func() { d.want.Report(r, d.now) })
}

// release takes the try away (X59a); its report may still come, see stray. What the operator does in
// the next try does not depend on it.
func (d *drive) release(id trowel.TaskID) error {
	t := d.want.Task(id)
	try := t.Try
	r := d.Outcome(t.Name, d.runs[id])
	r.TaskID, r.AttemptID, r.Try = id, d.img.Attempt.ID, try
	d.past = append(d.past, r)
	if d.rng.IntN(2) == 0 {
		back := trowel.Report{TaskID: id, AttemptID: r.AttemptID, Try: try, Outcome: trowel.OutcomeReleased}
		return d.apply("give back "+t.Name, engine.Report{Report: back}, func() { d.want.Report(back, d.now) })
	}
	lost, poison := d.rng.IntN(3) > 0, d.rng.IntN(3)
	ev := engine.Release{Task: id, Try: try, Lost: lost, Poison: poison}
	return d.apply("release "+t.Name, ev, func() { d.want.Release(id, try, lost, poison, d.now) })
}

func (d *drive) due(id trowel.TaskID) error {
	t := d.want.Task(id)
	if d.rng.IntN(4) > 0 && t.RetryAt.After(d.now) {
		d.now = t.RetryAt // else it comes too early, and nothing happens
	}
	return d.apply("due "+t.Name, engine.Due{Task: id}, func() { d.want.Due(id, d.now) })
}

// stray makes an event come twice, late, or for a task that it does not fit: X11.
func (d *drive) stray() error {
	id := trowel.TaskID(1 + d.rng.IntN(len(d.want.Tasks)+1))
	switch dice := d.rng.IntN(6); {
	case dice == 3:
		return d.apply("stray values", engine.Evaluated{Task: id}, func() {
			if t := d.want.Task(id); t == nil || !t.Waits {
				d.want.Evaluated(id, nil, nil, d.now)
			} else {
				d.want.Evaluated(id, param.New(), nil, d.now)
			}
		})
	case dice == 4 && d.want.Wait == "":
		return d.apply("stray admission", engine.Admit{}, func() { d.want.Admit(d.now) })
	case dice == 0 && len(d.past) > 0:
		r := d.past[d.rng.IntN(len(d.past))]
		return d.apply("report again", engine.Report{Report: r}, func() { d.want.Report(r, d.now) })
	case dice == 1 && (d.want.Task(id) == nil || d.want.Task(id).State != trowel.TaskReady):
		return d.apply("claim what is not ready", engine.Claim{Task: id}, func() { d.want.Claim(id, nil, d.now) })
	default:
		return d.apply("stray due", engine.Due{Task: id}, func() { d.want.Due(id, d.now) })
	}
}

// crash replaces the task tree: by one built from the store, by one built from copies of the rows in
// memory, or by that of another server after a refresh.
func (d *drive) crash() (err error) {
	attempt := d.img.Attempt
	switch d.rng.IntN(3) {
	case 0:
		d.trace = append(d.trace, "crash, read all")
		d.img, err = d.image(d.rows(-1))
	case 1:
		d.trace = append(d.trace, "crash, copy")
		var rows []*trowel.Task
		for _, row := range d.img.List() {
			row := *row
			rows = append(rows, &row)
		}
		d.rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		d.img, err = d.image(rows)
	default:
		d.trace = append(d.trace, "another server goes on")
		d.other.Refresh(attempt, d.rows(d.other.Attempt.Version))
		d.img, d.other = d.other, d.img
	}
	if err != nil {
		return err
	}
	return d.compare()
}

func (d *drive) rows(newerThan int64) []*trowel.Task {
	rows, err := d.kept.read(newerThan)
	if err != nil {
		panic(err)
	}
	return rows
}

func (d *drive) apply(what string, ev engine.Event, model func()) error {
	d.trace = append(d.trace, what)
	if err := d.observe(d.img.Apply(ev, d.now, sequence{}, engine.Limits{Tasks: d.Limit})); err != nil {
		return err
	}
	model()
	return d.compare()
}

// observe writes changes down and checks that they are allowed and follow on one another.
func (d *drive) observe(applied engine.Applied) error {
	d.last = applied
	if len(applied.Changes) > 0 {
		d.img.Attempt.Version++
	}
	for i := range applied.Changes {
		c := &applied.Changes[i]
		c.Task.Version = d.img.Attempt.Version
		known, exists := d.state[c.Task.ID]
		switch {
		case c.New && exists, !c.New && !exists:
			return fmt.Errorf("%s: new = %v, but known = %v", c.Task.FullName, c.New, exists)
		case c.New && c.To == trowel.TaskSuccess && c.Task.ResumingID != 0: // language X67
		case c.New && c.To != trowel.TaskBlocked:
			return fmt.Errorf("%s is made %s, want blocked", c.Task.FullName, c.To)
		case !c.New && known.state != c.From:
			return fmt.Errorf("%s moves from %s, but it was %s", c.Task.FullName, c.From, known.state)
		case !c.New && !allowed(c.From, c.Transition, c.To):
			return fmt.Errorf("%s: %s from %s to %s is not in Transitions", c.Task.FullName, c.Transition, c.From, c.To)
		case known.job && c.To.Done():
			return fmt.Errorf("%s is %s, but nobody has canceled its job", c.Task.FullName, c.To)
		case exists && known.state.Done():
			return fmt.Errorf("%s leaves %s", c.Task.FullName, known.state)
		}
		if err := d.given(c); err != nil {
			return err
		}
		job := c.Task.Flags&trowel.TaskHasJob != 0 && c.To != trowel.TaskRunning // else its agent sees to it
		d.state[c.Task.ID] = outside{c.To, c.Task.FullName, job}
	}
	if applied.Ended {
		d.ended++
	}
	return d.kept.write(d.img, applied.Changes)
}

func allowed(from trowel.TaskState, m trowel.Transition, to trowel.TaskState) bool {
	return slices.ContainsFunc(trowel.TransitionRules(), func(row trowel.TransitionRule) bool {
		return row.From == from && row.Transition == m && row.To == to
	})
}

// after checks that the end of an attempt is reported once, and that nothing changes it later.
func (d *drive) after() error {
	if d.want == nil {
		return nil
	}
	if d.ended != 1 {
		return fmt.Errorf("the end was told %d times, want once", d.ended)
	}
	events := []engine.Event{engine.Kill{}}
	for _, r := range d.past {
		events = append(events, engine.Report{Report: r}, engine.Due{Task: r.TaskID}, engine.Claim{Task: r.TaskID})
	}
	for _, ev := range events {
		applied := d.img.Apply(ev, d.now.Add(time.Hour), sequence{}, engine.Limits{Tasks: d.Limit})
		if len(applied.Changes) > 0 || applied.Ended {
			return fmt.Errorf("%T after the end changes %d tasks", ev, len(applied.Changes))
		}
	}
	return d.compare()
}

// compare compares the task tree with the model, task by task, and recounts its counters.
func (d *drive) compare() error {
	if err := d.img.Recount(); err != nil {
		return fmt.Errorf("recount: %w", err)
	}
	rows := d.img.List()
	if len(rows) != len(d.want.Tasks) {
		return fmt.Errorf("%d tasks, want %d:\n%s", len(rows), len(d.want.Tasks), d.picture())
	}
	for i, want := range d.want.Tasks {
		if err := compareTask(rows[i], want); err != nil {
			return fmt.Errorf("%s (%d): %w\n%s", want.Name, want.ID, err, d.picture())
		}
		if d.state[want.ID].state != want.State {
			return fmt.Errorf("%s: the changes say %s, want %s", want.Name, d.state[want.ID].state, want.State)
		}
	}
	if err := d.compareReady(rows); err != nil {
		return err
	}
	if d.img.Attempt.Flags != d.want.Flags || d.img.Attempt.WaitReason != d.want.Wait {
		return fmt.Errorf("flags of the attempt = %d, it waits for %q, want %d, %q",
			d.img.Attempt.Flags, d.img.Attempt.WaitReason, d.want.Flags, d.want.Wait)
	}
	return d.compareHolds(rows)
}

// compareReady checks that the next task to claim is one that became ready first.
func (d *drive) compareReady(rows []*trowel.Task) error {
	var first *trowel.Task
	for _, row := range rows {
		if row.State == trowel.TaskReady && (first == nil || row.ReadyAt.Before(first.ReadyAt)) {
			first = row
		}
	}
	id, ok := d.img.NextReady()
	switch {
	case ok != (first != nil):
		return fmt.Errorf("something is ready = %v, want %v", ok, first != nil)
	case ok && !d.img.Find(id).ReadyAt.Equal(first.ReadyAt):
		return fmt.Errorf("next is %d, ready at %v; %d is since %v", id, d.img.Find(id).ReadyAt, first.ID, first.ReadyAt)
	}
	return nil
}

func compareTask(got *trowel.Task, want *model.Task) error {
	waits := want.State == trowel.TaskRetryWaiting || want.State == trowel.TaskGroupRetryWaiting
	switch {
	case got.ID != want.ID || got.ParentID != want.Parent || got.FullName != want.Name || got.Group != want.Group:
		return fmt.Errorf("is %d below %d named %s", got.ID, got.ParentID, got.FullName)
	case got.ResumingID != want.Resuming:
		return fmt.Errorf("resuming = %d, want %d", got.ResumingID, want.Resuming)
	case got.State != want.State:
		return fmt.Errorf("state = %s, want %s", got.State, want.State)
	case got.Flags != want.Flags:
		return fmt.Errorf("flags = %d, want %d", got.Flags, want.Flags)
	case !slices.Equal(got.Upstreams, want.Upstreams):
		return fmt.Errorf("upstreams = %v, want %v", got.Upstreams, want.Upstreams)
	case got.Try != want.Try || got.RetryCount != want.RetryCount:
		return fmt.Errorf("try, retry count = %d, %d, want %d, %d", got.Try, got.RetryCount, want.Try, want.RetryCount)
	case waits && !got.RetryAt.Equal(want.RetryAt):
		return fmt.Errorf("retry at %v, want %v", got.RetryAt, want.RetryAt)
	case !waits && !got.RetryAt.IsZero(), (waits || want.Waits) != (got.WaitReason != ""):
		return fmt.Errorf("waits until %v for %q, in state %s", got.RetryAt, got.WaitReason, got.State)
	case !slices.Equal(got.Result.ResetKeys, want.Result.ResetKeys):
		return fmt.Errorf("reset keys = %v, want %v", got.Result.ResetKeys, want.Result.ResetKeys)
	case !reflect.DeepEqual(got.Requirements, want.Needs):
		return fmt.Errorf("needs = %s, want %s", asJSON(got.Requirements), asJSON(want.Needs))
	case !maps.Equal(got.Acquired, want.Holds):
		return fmt.Errorf("holds = %v, want %v", got.Acquired, want.Holds)
	case got.Losses != want.Losses:
		return fmt.Errorf("losses = %d, want %d", got.Losses, want.Losses)
	}
	return cmp.Or(
		compareMap("local", got.Local, want.Local),
		compareMap("export", got.Export, want.Export),
		compareMap("state params", got.StateParams, want.StateParams),
		compareMap("subtasks", got.Result.Subtasks, want.Result.Subtasks),
		compareMap("exports", got.Result.Export, want.Result.Export),
		compareMap("stores", got.Result.Store, want.Result.Store),
		compareMap("error", got.Error, want.Error),
	)
}

func compareMap(what string, got, want *param.Map) error {
	if got == want || got.Len()+want.Len() == 0 || param.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%s = %s, want %s", what, param.JSON(got), param.JSON(want))
}

// compareScope compares what a claimed task sees, but for what the engine itself sets (P3, P4).
func (d *drive) compareScope(id trowel.TaskID) error {
	attempt, setting := testSetting()
	got := d.img.Lease(id).Scope.Clone()
	want := d.want.Scope(id, param.Merged(setting.Revision.Params, attempt.Params))
	for _, key := range got.Keys() {
		if builtin(key) && !want.Has(key) {
			got.Delete(key)
		}
	}
	if got, want := param.JSON(got), param.JSON(want); got != want {
		return fmt.Errorf("scope = %s, want %s\n%s", got, want, d.picture())
	}
	return nil
}

// builtin reports whether the engine sets that parameter for all tasks (P12 to P15).
func builtin(key string) bool {
	for _, prefix := range []string{"session_", "last_", "next_", "task_name", "timezone", "project_id", "attempt_id", "retry_attempt_name"} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// look compares what a task sees now and then: a cache must not survive a later store.
func (d *drive) look() error {
	ids := d.in(trowel.TaskReady, trowel.TaskRunning)
	if len(ids) == 0 || d.rng.IntN(4) > 0 {
		return nil
	}
	id := ids[d.rng.IntN(len(ids))]
	d.trace = append(d.trace, "look at "+d.want.Task(id).Name)
	return d.compareScope(id)
}

// picture shows the tree with the states of both.
func (d *drive) picture() string {
	var text strings.Builder
	for _, t := range d.want.Tasks {
		got := "-"
		if row := d.img.Find(t.ID); row != nil {
			got = row.State.String()
		}
		fmt.Fprintf(&text, "  %3d %-40s below %3d after %v: %s, want %s\n", t.ID, t.Name, t.Parent, t.Upstreams, got, t.State)
	}
	return text.String()
}

// memory keeps rows as the store does: of a change without detail only what package store writes
// for it.
type memory struct{ rows map[trowel.TaskID]trowel.Task }

func newMemory() *memory { return &memory{rows: map[trowel.TaskID]trowel.Task{}} }

func (k *memory) write(_ *engine.TaskTree, changes []engine.Change) error {
	for _, c := range changes {
		row, known := k.rows[c.Task.ID]
		if !known || c.Detail {
			k.rows[c.Task.ID] = *c.Task
			continue
		}
		now := c.Task
		row.State, row.Flags, row.Round, row.Try, row.Version = now.State, now.Flags, now.Round, now.Try, now.Version
		row.ReadyAt, row.ClaimedAt, row.StartedAt, row.UpdatedAt = now.ReadyAt, now.ClaimedAt, now.StartedAt, now.UpdatedAt
		row.AgentID = now.AgentID
		k.rows[c.Task.ID] = row
	}
	return nil
}

func (k *memory) read(newerThan int64) ([]*trowel.Task, error) {
	var rows []*trowel.Task
	for _, id := range slices.Sorted(maps.Keys(k.rows)) {
		if row := k.rows[id]; row.Version > newerThan {
			rows = append(rows, &row)
		}
	}
	return rows, nil
}
