package digdagtest

import (
	"fmt"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// session makes a session with one to three attempts. The last one may be running.
func (f *filler) session(tb testing.TB, p *trowel.Project, w *trowel.Workflow, number int) {
	tb.Helper()
	s := &trowel.Session{
		ID: trowel.SessionID(f.id()), ProjectID: p.ID, Workflow: w.Name, Time: time.Unix(1705276800+int64(number)*86400, 0).UTC(),
		UUID: fmt.Sprintf("%08x-2222-3333-4444-%012x", number, f.ids),
	}
	f.Exec(tb, `INSERT INTO sessions (id, project_id, workflow_name, session_time, session_uuid) VALUES ($1, $2, $3, $4, $5)`,
		s.ID, p.ID, w.Name, s.Time.Unix(), s.UUID)
	f.Sessions = append(f.Sessions, s)
	f.LastAttempt[s.ID] = 0
	count := 1 + f.random.IntN(3)
	for i := range count {
		f.attempt(tb, s, w, i+1, i == count-1 && f.chance(8))
	}
}

func (f *filler) attempt(tb testing.TB, s *trowel.Session, w *trowel.Workflow, number int, running bool) {
	tb.Helper()
	a := &trowel.Attempt{
		ID: trowel.AttemptID(f.id()), SessionID: s.ID, ProjectID: s.ProjectID, Index: number, WorkflowID: w.ID, Zone: w.Zone, Params: f.params(),
		Cause: "digdag", Version: 1, CreatedAt: f.at(), Flags: trowel.AttemptDone,
	}
	if number > 1 {
		a.Name = fmt.Sprintf("again '%d'", number)
	}
	ends := []trowel.AttemptFlags{0, trowel.AttemptSuccess, trowel.AttemptCancelRequested}
	a.Flags |= ends[f.random.IntN(len(ends))]
	if running {
		a.Flags = trowel.AttemptFlags(f.random.IntN(2)) //nolint:gosec // a bit
	}
	a.FinishedAt = a.CreatedAt.Add(time.Minute)
	var finished any
	archived := a.FinishedAt
	if !running && !f.chance(10) { // the first rows were written before the column was added
		finished = a.FinishedAt
	}
	f.Exec(tb, `INSERT INTO session_attempts (id, session_id, site_id, project_id, attempt_name, workflow_definition_id, state_flags, timezone,
params, created_at, finished_at, index) VALUES ($1, $2, 0, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		a.ID, a.SessionID, a.ProjectID, a.Name, a.WorkflowID, int(a.Flags), a.Zone, object(a.Params), a.CreatedAt, finished, a.Index)
	f.Exec(tb, `UPDATE sessions SET last_attempt_id = $2, last_attempt_created_at = $3 WHERE id = $1`, s.ID, a.ID, a.CreatedAt)
	if running {
		f.Running = append(f.Running, a.ID)
		return
	}
	f.Attempts = append(f.Attempts, a)
	f.LastAttempt[s.ID] = a.ID
	tasks, text := f.tasks(a)
	f.Tasks[a.ID] = tasks
	f.Exec(tb, `INSERT INTO task_archives (id, tasks, created_at) VALUES ($1, $2, $3)`, a.ID, text, archived)
}

// tasks returns the tasks of an attempt and Digdag's text of them: either in the form of its first versions, or in that
// of its last one with unknown keys.
func (f *filler) tasks(a *trowel.Attempt) (tasks []*trowel.Task, text string) {
	old := f.chance(3)
	list := param.List{}
	root := trowel.TaskID(f.id())
	for i := range 1 + f.random.IntN(5) {
		t := &trowel.Task{
			ID: root + trowel.TaskID(i), AttemptID: a.ID, FullName: "+w", Group: true, State: trowel.TaskState(f.random.IntN(10)), //nolint:gosec // small
			Flags: trowel.TaskInitial, UpdatedAt: f.at().Truncate(time.Second), Version: 1,
			Local: f.params(), Export: f.params(), StateParams: f.params(), Error: f.params(),
			Result: trowel.Result{Subtasks: f.params(), Export: f.params(), Store: f.params()},
		}
		if i > 0 {
			t.ParentID, t.Group, t.FullName = root, false, fmt.Sprintf("+w+%s%d", names()[i], i)
			t.Upstreams = append(t.Upstreams, t.ID-1)
			t.RetryAt = f.at()
		}
		if !old {
			t.StartedAt, t.RetryCount, t.Try = f.at(), i, 1
			t.Result.ResetKeys = append(t.Result.ResetKeys, []string{"a.b", "c"}[:f.random.IntN(3)]...)
			t.ResumingID = trowel.TaskID(f.random.IntN(2))
		}
		tasks = append(tasks, t)
		list = append(list, archived(t, old))
	}
	f.ids += int64(len(tasks))
	return tasks, param.JSON(list)
}

// archived returns a task in the form of Digdag's JSON (server 6.4).
func archived(t *trowel.Task, old bool) *param.Map {
	number := func(n int64) param.Value {
		if n == 0 {
			return nil
		}
		return n
	}
	instant := func(at time.Time) param.Value {
		if at.IsZero() {
			return nil
		}
		return at.Format(time.RFC3339Nano)
	}
	ups, kind := param.List{}, int64(0)
	for _, up := range t.Upstreams {
		ups = append(ups, int64(up))
	}
	if t.Group {
		kind = 1
	}
	m := param.Of(
		"parentId", number(int64(t.ParentID)), "fullName", t.FullName, "config", param.Of("local", t.Local, "export", t.Export),
		"taskType", kind, "state", t.State.String(), "stateFlags", int64(t.Flags), "id", int64(t.ID), "attemptId", int64(t.AttemptID),
		"upstreams", ups, "updatedAt", instant(t.UpdatedAt), "retryAt", instant(t.RetryAt), "stateParams", t.StateParams,
		"subtaskConfig", t.Result.Subtasks, "exportParams", t.Result.Export, "storeParams", t.Result.Store,
		"report", param.Of("inputs", param.List{}, "outputs", param.List{}), "error", t.Error,
	)
	if old {
		return m
	}
	keys := param.List{}
	for _, key := range t.Result.ResetKeys {
		keys = append(keys, key)
	}
	m.Set("startedAt", instant(t.StartedAt))
	m.Set("retryCount", int64(t.RetryCount))
	m.Set("resetStoreParams", keys)
	m.Set("resumingTaskId", number(int64(t.ResumingID)))
	m.Set("ofTomorrow", param.Of("what", "ever"))
	return m
}
