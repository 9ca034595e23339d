package ops_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// Every write stores a record in its transaction, with the actor and without secrets. Refused requests and dry runs store
// none.
func TestRecords(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	const daily = "schedule:\n  daily>: 01:00:00\n+a:\n  echo>: a\n"
	h.Push(t, "project=p&revision=r1", "main.dig", daily)
	h.Push(t, "project=p&revision=r1", "main.dig", daily) // a conflict
	h.Put(t, "/api/projects/1/secrets/pg.password", `{"value":"hunter2"}`)
	h.Delete(t, "/api/projects/1/secrets/pg.password")
	h.Delete(t, "/api/projects/1/secrets/pg.password") // nothing is left of it to delete
	h.Post(t, "/api/schedules/1/disable", "")
	h.Post(t, "/api/schedules/1/enable", "")
	h.Post(t, "/api/schedules/1/skip", `{"count":1,"fromTime":"2030-01-01T00:00:00Z","dryRun":true}`)
	h.Post(t, "/api/schedules/1/skip", `{"count":1,"fromTime":"2030-01-01T00:00:00Z","dryRun":false}`)
	h.Post(t, "/api/schedules/1/backfill", `{"fromTime":"2029-12-01T00:00:00Z","attemptName":"again","count":2,"dryRun":false}`)
	h.Post(t, "/api/projects/1/workflows/main/pause", `{"note":"the warehouse moves"}`)
	h.Post(t, "/api/projects/1/workflows/main/pause", "") // a conflict
	h.Post(t, "/api/projects/1/workflows/main/resume", "")
	h.Put(t, "/api/pools/db", `{"slots":1,"dryRun":true}`)
	h.Put(t, "/api/pools/db", `{"slots":1}`)
	bearer := "Bearer " + h.Token(t, access.RoleAdmin, "")
	made := servertest.Read[api.Token](t, h.Do(t, "POST", "/api/tokens", "application/json", `{"name":"ci","role":"read"}`, "Authorization", bearer), 200)
	h.Do(t, "DELETE", "/api/tokens/"+made.ID.String(), "", "", "Authorization", bearer)
	h.Do(t, "DELETE", "/api/tokens/"+made.ID.String(), "", "", "Authorization", bearer) // it is already
	ofProject := "Bearer " + ofProject(t, h, 1)
	limited := h.Do(t, "GET", "/api/audit", "", "", "Authorization", ofProject)
	if list := servertest.Read[api.AuditList](t, limited, 200); len(list.Items) != 9 {
		t.Errorf("a caller of one project sees %d entries, want 9", len(list.Items))
	}
	h.Delete(t, "/api/projects/1")
	if a := h.Do(t, "GET", "/api/audit", "", "", "Authorization", ofProject); a.Status != 401 || !strings.Contains(a.Body, "the project p, which was deleted at") {
		t.Errorf("a caller of a deleted project: %d %s, want 401", a.Status, a.Body)
	}
	answer := h.Get(t, "/api/audit")
	if strings.Contains(answer.Body, "hunter2") || strings.Contains(answer.Body, made.Secret) {
		t.Errorf("the audit has a secret: %s", answer.Body)
	}
	var got []string
	for _, e := range servertest.Read[api.AuditList](t, answer, 200).Items {
		got = append(got, e.Action+" "+e.Actor.Kind+" "+e.Actor.Name+" "+e.Object.Path+" "+e.Note+" "+e.Source)
	}
	want := []string{
		"project.delete user anonymous p  rest", "token.revoke token admin of  ci  rest", "token.create token admin of  ci  rest",
		"pool.create user anonymous db  rest", "workflow.resume user anonymous p/main  rest", "workflow.pause user anonymous p/main the warehouse moves rest",
		"schedule.backfill user anonymous p/main  rest", "schedule.skip user anonymous p/main  rest", "schedule.enable user anonymous p/main  rest",
		"schedule.disable user anonymous p/main  rest", "secret.delete user anonymous p/pg.password  rest", "secret.put user anonymous p/pg.password  rest",
		"project.push user anonymous p  rest",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	count := func(query string) int {
		return len(servertest.Read[api.AuditList](t, h.Get(t, "/api/audit?"+query), 200).Items)
	}
	for query, n := range map[string]int{
		"action=schedule": 4, "action=schedule.skip": 1, "action=sched": 0, "actor=anonymous": 11, "source=rest": 13, "source=cli": 0,
		"to=2020-01-01T00:00:00Z": 0, "from=2020-01-01T00:00:00Z": 13, "limit=3": 3,
	} {
		if got := count(query); got != n {
			t.Errorf("%s gives %d entries, want %d", query, got, n)
		}
	}
}

// The record of a lost agent says how many tries were freed.
func TestRecordOfLostAgent(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		for tries := range 3 {
			if err := tx.InsertRecords(t.Context(), &trowel.AuditRecord{
				At: time.Now(), ActorKind: trowel.ActorServer, Actor: "engine", Source: trowel.SourceServer, Action: trowel.ActionAgentLost,
				ObjectKind: "agent", ObjectID: "ac807129", Object: "gpu-1", After: param.Of("tries", tries),
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range servertest.Read[api.AuditList](t, h.Get(t, "/api/audit?action=agent"), 200).Items {
		got = append(got, e.Actor.Kind+" "+e.Object.Kind+" "+e.Object.ID+": "+e.Text)
	}
	const begin = "server agent ac807129: engine lost the agent gpu-1, whose lease has ended; it ran "
	if diff := cmp.Diff([]string{begin + "2 tries, which are freed", begin + "1 try, which is freed", begin + "nothing"}, got); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
}

// ofProject stores a token for a project.
func ofProject(t *testing.T, h *servertest.Server, id trowel.ProjectID) string {
	t.Helper()
	text, hash := access.NewToken()
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertToken(t.Context(), &trowel.Token{Name: "one", Hash: hash, Role: "read", ProjectID: id, CreatedAt: time.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The audit of an attempt has all transitions of its tasks and all records about it in order of time, with pages of any
// size, from either end.
func TestAuditOfAttempt(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	id := h.InsertTasks(t, "p", &trowel.Task{ID: 1, FullName: "+main"}, &trowel.Task{ID: 2, FullName: "+main+a"}, &trowel.Task{ID: 3, FullName: "+main+ab"})
	at := func(s int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(s)*1000) }
	move := func(s int, task trowel.TaskID, from, to, cause, actor string) trowel.AuditEntry {
		return trowel.AuditEntry{At: at(s), AttemptID: id, TaskID: task, Try: 1, From: from, To: to, Cause: cause, Actor: actor, Batch: int64(s)}
	}
	batches := [][]trowel.AuditEntry{
		{move(1, 0, "", "running", "start", "ann"), move(1, 1, "blocked", "planned", "unblock", "ann"), move(1, 2, "blocked", "ready", "unblock", "ann")},
		{move(2, 2, "ready", "running", "claim", "agent-1")},
		{move(4, 2, "running", "success", "success", "agent-1"), move(4, 3, "blocked", "canceled", "cancel", "bob"), move(4, 0, "running", "killed", "end", "engine")},
	}
	record := func(s int, action, actor string) *trowel.AuditRecord {
		return &trowel.AuditRecord{
			At: at(s), ActorKind: trowel.ActorUser, Actor: actor, Source: trowel.SourceREST, Action: action, ObjectKind: "attempt",
			ObjectID: fmt.Sprint(int64(id)), Object: "p/main", ProjectID: 1, AttemptID: id,
		}
	}
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		for _, batch := range batches {
			if err := tx.InsertAudits(t.Context(), batch); err != nil {
				return err
			}
		}
		return tx.InsertRecords(t.Context(), record(1, "attempt.start", "ann"), record(3, "attempt.kill", "bob"))
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		fmt.Sprintf("attempt.start ann: ann started attempt %d of p/main", id),
		"task.unblock ann: +main: blocked to planned (unblock)", "task.unblock ann: +main+a: blocked to ready (unblock)",
		"task.claim agent-1: +main+a: ready to running (claim)", fmt.Sprintf("attempt.kill bob: bob killed attempt %d of p/main", id),
		"task.success agent-1: +main+a: running to success (success)", "task.cancel bob: +main+ab: blocked to canceled (cancel)",
		"attempt.end engine: the attempt: running to killed (end)",
	}
	ids := map[string]bool{}
	all := func(query string, limit int) (texts []string) {
		for path := fmt.Sprintf("/api/audit?attempt=%d&limit=%d&%s", id, limit, query); ; {
			page := servertest.Read[api.AuditList](t, h.Get(t, path), 200)
			for _, e := range page.Items {
				texts = append(texts, e.Action+" "+e.Actor.Name+": "+e.Text)
				ids[e.ID] = true
				if kinds := map[string]string{"ann": "user", "bob": "user", "agent-1": "agent", "engine": "server"}; e.Actor.Kind != kinds[e.Actor.Name] {
					t.Errorf("%s is of the kind %s", e.Actor.Name, e.Actor.Kind)
				}
			}
			if page.Next == nil {
				return texts
			}
			path = fmt.Sprintf("/api/audit?attempt=%d&limit=%d&%s&cursor=%s", id, limit, query, *page.Next)
		}
	}
	for limit := 1; limit <= 9; limit++ {
		clear(ids)
		if diff := cmp.Diff(want, all("order=asc", limit)); diff != "" || len(ids) != len(want) {
			t.Errorf("%d ids; from the beginning, %d at once (-want +got):\n%s", len(ids), limit, diff)
		}
		backward := all("", limit)
		for i, j := 0, len(backward)-1; i < j; i, j = i+1, j-1 {
			backward[i], backward[j] = backward[j], backward[i]
		}
		if diff := cmp.Diff(want, backward); diff != "" {
			t.Errorf("from the end, %d at once (-want +got):\n%s", limit, diff)
		}
	}
	for query, n := range map[string]int{
		"task=%2Bmain%2Ba": 3, "task=2": 3, "task=%2Bmain": 5, "action=task.claim": 1, "action=attempt": 3, "actor=bob": 2, "source=rest": 2,
		"from=2023-11-14T22:13:22Z": 5, "to=2023-11-14T22:13:22Z": 3,
	} {
		if got := all(query, 100); len(got) != n {
			t.Errorf("%s gives %d entries, want %d: %q", query, len(got), n, got)
		}
	}
	if a := h.Get(t, fmt.Sprintf("/api/audit?attempt=%d&task=%%2Bother", id)); a.Status != http.StatusNotFound {
		t.Errorf("unknown task: %d %s", a.Status, a.Body)
	}
}

// Agents and queues have their tasks. Drained agents take no new tasks.
func TestAgents(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	now := time.Now()
	agent := func(id string, lease time.Duration, slots int, queues ...string) *trowel.Agent {
		return &trowel.Agent{ID: id, Name: id + "-name", Slots: slots, Queues: queues, StartedAt: now, SeenAt: now, LeaseEnds: now.Add(lease), Remote: true}
	}
	gpu := &trowel.Requirements{Queue: "gpu"}
	h.InsertTasks(t, "p", &trowel.Task{FullName: "+x", State: trowel.TaskRunning, Try: 2, AgentID: "a", StartedAt: now, Requirements: gpu},
		&trowel.Task{State: trowel.TaskReady, Requirements: &trowel.Requirements{Queue: "huge"}, ReadyAt: now.Add(-time.Minute)})
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		full := agent("d", time.Hour, 1, "other")
		full.SuspendReason = "no room"
		for _, a := range []*trowel.Agent{agent("a", time.Hour, 4, "gpu", "default"), agent("b", time.Hour, 0), agent("c", -time.Hour, 2), full} {
			if err := tx.PutAgent(t.Context(), a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	states := func() (list []string) {
		for path := "/api/agents?limit=2"; ; {
			page := servertest.Read[api.AgentList](t, h.Get(t, path), 200)
			for _, a := range page.Items {
				list = append(list, fmt.Sprintf("%s %s %d", a.ID, a.State, a.Used))
			}
			if page.Next == nil {
				return list
			}
			path = "/api/agents?limit=2&cursor=" + *page.Next
		}
	}
	if diff := cmp.Diff([]string{"a live 1", "b live 0", "c dead 0", "d resting 0"}, states()); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	queues := servertest.Read[api.QueueList](t, h.Get(t, "/api/queues"), 200)
	var shown []string
	for _, q := range queues.Items {
		slots := "any"
		if q.Slots != nil {
			slots = fmt.Sprint(*q.Slots)
		}
		shown = append(shown, fmt.Sprintf("%s: %d ready, %d running, %d agents, %s slots", q.Name, q.Ready, q.Running, q.Agents, slots))
	}
	if diff := cmp.Diff([]string{
		"default: 0 ready, 0 running, 2 agents, any slots", "gpu: 0 ready, 1 running, 1 agents, 4 slots", "huge: 1 ready, 0 running, 0 agents, 0 slots",
		"other: 0 ready, 0 running, 1 agents, 1 slots",
	}, shown); diff != "" {
		t.Errorf("queues (-want +got):\n%s", diff)
	}
	if a := servertest.Read[api.Agent](t, h.Post(t, "/api/agents/a/drain", `{"note":"upgrade"}`), 200); a.State != "draining" || a.DrainedAt == nil {
		t.Errorf("drained = %+v", a)
	}
	servertest.Read[api.Agent](t, h.Post(t, "/api/agents/a/drain", ""), 200)
	if a := h.Post(t, "/api/agents/b/undrain", ""); a.Status != http.StatusConflict || !strings.Contains(a.Body, `"code":"not_draining"`) {
		t.Errorf("undrain of one that is not drained: %d %s", a.Status, a.Body)
	}
	if a := servertest.Read[api.Agent](t, h.Get(t, "/api/agents/a"), 200); a.State != "draining" || a.Used != 1 || *a.Slots != 4 {
		t.Errorf("agent = %+v", a)
	}
	tasks := servertest.Read[api.AgentTaskList](t, h.Get(t, "/api/agents/a/tasks"), 200)
	if len(tasks.Items) != 1 || tasks.Items[0].FullName != "+x" || tasks.Items[0].Try != 2 || tasks.Items[0].Project.Name != "p" {
		t.Errorf("tasks = %+v", tasks)
	}
	if a := servertest.Read[api.Agent](t, h.Post(t, "/api/agents/a/undrain", ""), 200); a.State != "live" || a.DrainedAt != nil {
		t.Errorf("undrained = %+v", a)
	}
	if n := len(servertest.Read[api.AuditList](t, h.Get(t, "/api/audit?action=agent"), 200).Items); n != 2 {
		t.Errorf("%d records of agents, want 2", n)
	}
}

// Control K816: a workflow has at most one pause, with its actor, time and note.
func TestPause(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	h.Push(t, "project=p&revision=r1", "main.dig", "+a:\n  echo>: a\n", "w-1.dig", "+a:\n  echo>: a\n")
	paused := servertest.Read[api.WorkflowState](t, h.Post(t, "/api/projects/1/workflows/w%2D1/pause", `{"note":"why"}`), 200)
	if paused.Paused == nil || paused.Paused.By != "anonymous" || paused.Paused.Note != "why" || paused.Workflow != "w-1" {
		t.Errorf("paused = %+v", paused)
	}
	if a := h.Post(t, "/api/projects/1/workflows/w%2D1/pause", ""); a.Status != http.StatusConflict || !strings.Contains(a.Body, `"code":"paused"`) {
		t.Errorf("paused twice: %d %s", a.Status, a.Body)
	}
	if s := servertest.Read[api.WorkflowState](t, h.Get(t, "/api/projects/1/workflows/w%2D1/pause"), 200); s.Paused == nil {
		t.Errorf("state = %+v", s)
	}
	resumed := servertest.Read[api.WorkflowState](t, h.Post(t, "/api/projects/1/workflows/w%2D1/resume", ""), 200)
	if resumed.Paused != nil || h.Flusher.Admissions.Load() != 2 {
		t.Errorf("resumed = %+v, flusher told %d times", resumed, h.Flusher.Admissions.Load())
	}
}
