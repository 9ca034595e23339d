package view_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// began changes when an attempt was made.
func began(t *testing.T, h *servertest.Server, like trowel.AttemptID, at time.Time) trowel.AttemptID {
	t.Helper()
	var id trowel.AttemptID
	trowtest.Update(t, h.Store, func(tx trowel.Tx) error {
		s, err := tx.FindAttemptSummary(t.Context(), like)
		if err != nil {
			return err
		}
		a := &trowel.Attempt{WorkflowID: s.Attempt.WorkflowID, Zone: "UTC", Cause: "start", Actor: "ann", CreatedAt: at, Version: 1}
		session := &trowel.Session{ProjectID: s.Project.ID, Workflow: "main", Time: at, UUID: "u"}
		if err := tx.InsertAttempt(t.Context(), session, a); err != nil {
			return err
		}
		id = a.ID
		task := &trowel.Task{ID: trowel.TaskID(id) * 10_000, AttemptID: id, FullName: "+main", State: trowel.TaskReady, ReadyAt: at, UpdatedAt: at}
		return tx.InsertTasks(t.Context(), []*trowel.Task{task})
	})
	return id
}

// An attempt that runs longer than those before it did is late (A8), and says when it was to end.
func TestLateAndEstimates(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	one := h.InsertTasks(t, "one")
	now := time.Now().Truncate(time.Second)
	for i := range 5 { // each takes a minute
		ended(t, h, one, now.Add(-time.Duration(10+i)*time.Hour), "")
	}
	slow, quick := began(t, h, one, now.Add(-10*time.Minute)), began(t, h, one, now.Add(-10*time.Second))
	late := servertest.Read[api.LateList](t, h.Get(t, "/api/late"), 200).Items
	if len(late) != 1 || late[0].Kind != "running_long" || *late[0].AttemptID != api.ID(slow) || late[0].MarginMS > -530_000 || !strings.Contains(late[0].Reason, "of 5 took at most 1m0s") {
		t.Errorf("late: %+v, want attempt %d", late, slow)
	}
	s := servertest.Read[api.AttemptSummary](t, h.Get(t, fmt.Sprintf("/api/attempts/%d/summary", quick)), 200)
	end := now.Add(50 * time.Second).UTC().Format("2006-01-02T15:04:05.000Z")
	if diff := cmp.Diff(&api.Estimate{P10At: end, P50At: end, P90At: end, Samples: 5}, s.Estimate); diff != "" {
		t.Errorf("estimate (-want +got):\n%s", diff)
	}
	o := servertest.Read[api.Overview](t, h.Get(t, "/api/overview"), 200)
	if len(o.Running) != 3 || o.Running[0].ID != api.ID(slow) || !o.Running[0].Estimate.Late || o.Running[0].Counts == nil || len(o.Late) != 1 {
		t.Errorf("running %+v, late %+v, want attempt %d first", o.Running, o.Late, slow)
	}
}

// The overview (A6) has all parts, and for a token of a project those of this project.
func TestOverview(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	one := h.InsertTasks(t, "one", &trowel.Task{State: trowel.TaskReady}, &trowel.Task{State: trowel.TaskReady, Requirements: servertest.Needing("none", 1, 1)})
	two := h.InsertTasks(t, "two", &trowel.Task{State: trowel.TaskRunning, AgentID: "a"})
	now := time.Now()
	ended(t, h, one, now.Add(-time.Hour), "no host")
	ended(t, h, two, now.Add(-50*time.Hour), "disk full")
	h.Push(t, "project=sched&revision=r1", "main.dig", "timezone: UTC\nschedule:\n  minutes_interval>: 30\n+a:\n  echo>: a\n")
	h.Post(t, "/api/projects/1/workflows/main/pause", `{}`)
	o := servertest.Read[api.Overview](t, h.Get(t, "/api/overview"), 200)
	if len(o.Failures) != 1 || o.Failures[0].Sample.Project.Name != "one" || !o.Health.OK || o.Health.Agents == nil || len(o.Health.Parts) != 1 {
		t.Errorf("failures %+v, health %+v", o.Failures, o.Health)
	}
	waiting := map[string]int{}
	for _, w := range o.Waiting {
		waiting[w.Code+" "+w.Arg] += w.Count
	}
	if waiting["pool_missing none"] != 1 || o.Counts.ReadyTasks < 2 || o.Counts.RunningTasks != 1 || o.Health.Lag.OldestReadyMS == nil {
		t.Errorf("waiting %v, counts %+v", waiting, o.Counts)
	}
	if len(o.NeedsYou) != 1 || o.NeedsYou[0].Kind != "workflow_paused" || len(o.Running) != 2 {
		t.Errorf("needs %+v, running %+v", o.NeedsYou, o.Running)
	}
	if len(o.Upcoming) != 4 || o.Upcoming[0].Project.Name != "sched" || o.Upcoming[0].RunTime >= o.Upcoming[1].RunTime {
		t.Errorf("upcoming %+v, want four", o.Upcoming)
	}
	older := servertest.Read[api.Overview](t, h.Get(t, "/api/overview?since=2000-01-01T00:00:00Z"), 200)
	if len(older.Failures) != 2 {
		t.Errorf("%d failures of all times, want 2", len(older.Failures))
	}
	bearer := []string{"Authorization", "Bearer " + h.Token(t, access.RoleRead, "two")}
	own := servertest.Read[api.Overview](t, h.Do(t, http.MethodGet, "/api/overview?since=2000-01-01T00:00:00Z", "", "", bearer...), 200)
	if len(own.Failures) != 1 || len(own.Running) != 1 || own.Counts.ReadyTasks > o.Counts.ReadyTasks-2 || len(own.Upcoming) != 0 || len(own.NeedsYou) != 0 {
		t.Errorf("overview of a project: %+v", own)
	}
	if a := h.Get(t, "/api/overview?since=x"); a.Status != http.StatusBadRequest {
		t.Errorf("since=x: %d", a.Status)
	}
}

// Upcoming sessions (A9) come by page, those of several schedules in one order.
func TestUpcoming(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	h.Push(t, "project=half&revision=r1", "main.dig", "timezone: Asia/Tokyo\nschedule:\n  minutes_interval>: 30\n+a:\n  echo>: a\n")
	h.Push(t, "project=hour&revision=r1", "main.dig", "timezone: UTC\nschedule:\n  hourly>: 10:00\n+a:\n  echo>: a\n")
	base := "/api/upcoming?to=" + time.Now().Add(24*time.Hour).UTC().Format(time.RFC3339)
	all := servertest.Read[api.UpcomingList](t, h.Get(t, base), 200)
	if len(all.Items) != 72 || all.Next != nil {
		t.Fatalf("%d sessions in a day, want 48 and 24", len(all.Items))
	}
	if !strings.HasSuffix(fmt.Sprint(all.Items[0].SessionTime), "0900 JST") && !strings.Contains(h.Get(t, base+"&project=half").Body, "+09:00") {
		t.Errorf("session time %v is not in the zone of the workflow", all.Items[0].SessionTime)
	}
	var runs []string
	for cursor := ""; ; {
		page := servertest.Read[api.UpcomingList](t, h.Get(t, base+"&limit=5&cursor="+cursor), 200)
		for i := range page.Items {
			runs = append(runs, page.Items[i].RunTime+page.Items[i].Project.Name)
		}
		if page.Next == nil {
			break
		}
		cursor = *page.Next
	}
	var want []string
	for i := range all.Items {
		want = append(want, all.Items[i].RunTime+all.Items[i].Project.Name)
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("by page (-all +pages):\n%s", diff)
	}
	from := time.Now().Add(12 * time.Hour).UTC().Format(time.RFC3339)
	if half := servertest.Read[api.UpcomingList](t, h.Get(t, base+"&project=hour&workflow=main&from="+from), 200); len(half.Items) != 12 {
		t.Errorf("%d sessions in 12 hours, want 12", len(half.Items))
	}
	id := strconv.Itoa(int(all.Items[0].ScheduleID))
	h.Post(t, "/api/schedules/"+id+"/disable", "")
	if rest := servertest.Read[api.UpcomingList](t, h.Get(t, base), 200); len(rest.Items) == len(all.Items) {
		t.Error("a disabled schedule is upcoming")
	}
}
