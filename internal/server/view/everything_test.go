package view_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// everything returns what a search finds: kind, title and path of each thing.
func everything(t *testing.T, h *servertest.Server, query string, header ...string) (texts []string) {
	t.Helper()
	for _, g := range servertest.Read[api.Found](t, h.Do(t, http.MethodGet, "/api/search?"+query, "", "", header...), 200).Groups {
		if len(g.Items) == 0 || len(g.Items) > 8 {
			t.Errorf("%s: %d of kind %s", query, len(g.Items), g.Kind)
		}
		for _, item := range g.Items {
			texts = append(texts, g.Kind+" "+item.Title+" "+item.Path)
		}
	}
	return texts
}

// TestSearchEverything checks what is found by names, ids and times, and that a token of a project finds nothing else.
func TestSearchEverything(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	task := &trowel.Task{State: trowel.TaskReady}
	one, two := h.InsertTasks(t, "etl_one", task), h.InsertTasks(t, "ETL-Two")
	if pushed := h.Push(t, "project=tokyo&revision=v1%2F7", "daily_load.dig", servertest.Scheduled); pushed.Status != 200 {
		t.Fatal(pushed.Body)
	}
	p := servertest.Read[api.ProjectCollection](t, h.Get(t, "/api/projects?name=tokyo"), 200).Projects[0]
	w := servertest.Read[api.WorkflowCollection](t, h.Get(t, "/api/projects/"+p.ID.String()+"/workflows"), 200).Workflows[0]
	a := servertest.Read[api.Attempt](t, h.Put(t, "/api/attempts",
		`{"workflowId":"`+w.ID.String()+`","sessionTime":"2026-01-02T07:00:00+09:00","retryAttemptName":"fix-3","params":{}}`), 200)
	now := time.Now()
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.PutAgent(t.Context(), &trowel.Agent{ID: "7@host-a", Name: "Loader", Slots: 1, StartedAt: now, SeenAt: now, LeaseEnds: now.Add(time.Hour)})
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Put(t, "/api/pools/loadpool", `{"slots":3}`)
	h.Put(t, "/api/pools/loadown?project=etl_one", `{"slots":3}`)
	session := fmt.Sprintf("session daily_load 2026-01-02 07:00:00 +09:00 /sessions/%d", a.SessionID)
	attempt := fmt.Sprintf("attempt daily_load 2026-01-02 07:00:00 +09:00 fix-3 /attempts/%d", a.ID)
	first := fmt.Sprintf("attempt main 2024-01-01 00:00:00 +00:00 /attempts/%d", one)
	second := fmt.Sprintf("attempt main 2024-01-01 00:00:00 +00:00 /attempts/%d", two)
	flow := "workflow daily_load /projects/" + p.ID.String() + "/workflows/daily_load"
	for query, want := range map[string][]string{
		"":                       {attempt, second, first},
		"q=etl+two":              {"project ETL-Two /projects/2", "workflow main /projects/2/workflows/main"},
		"q=etl&kinds=project":    {"project ETL-Two /projects/2", "project etl_one /projects/1"},
		"q=etl&limit=1":          {"project ETL-Two /projects/2", "workflow main /projects/2/workflows/main"},
		"q=LOAD":                 {flow, "pool loadpool /pools/loadpool", "pool loadown /pools/loadown?project=etl_one", "agent Loader /agents/7@host-a"},
		"q=load+tok":             {flow},
		"q=2026-01-02":           {session},
		"q=2026-01-01":           nil,
		"q=2026-01":              {session},
		"q=daily+2026-01-02":     {session},
		"q=daily+2026-01-01":     nil,
		"q=main+2026-01-02":      nil,
		"q=2026-01-02+07:00+tok": {session},
		"q=2026-01-02+22":        nil,
		"q=2026-01-02T07":        {session},
		"q=fix":                  {attempt},
		"q=v1/":                  {"revision v1/7 /projects/" + p.ID.String() + "/files?revision=v1%2F7"},
		"q=%25":                  nil,
		"q=_&kinds=project":      {"project etl_one /projects/1"},
		"q=host-a":               {"agent Loader /agents/7@host-a"},
		"q=nothing+of+it":        nil,
		"q=%27%22%3B--":          nil,
		"q=%23999999":            nil,
		fmt.Sprintf("q=%%23%d&kinds=attempt", one): {first},
		fmt.Sprintf("q=%d&kinds=task", task.ID):    {fmt.Sprintf("task +main+t0 /attempts/%d?task=%d", one, task.ID)},
	} {
		if diff := cmp.Diff(want, everything(t, h, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	bearer := []string{"Authorization", "Bearer " + h.Token(t, access.RoleRead, "tokyo")}
	for query, want := range map[string][]string{
		"": {attempt}, "q=etl": nil, "q=main": nil, "q=load&kinds=workflow,pool": {flow, "pool loadpool /pools/loadpool"}, "q=2026-01-02": {session}, "q=2024-01-01": nil,
		"q=r1": nil, "q=2024-01": nil, fmt.Sprint("q=", one): nil, fmt.Sprint("q=", task.ID): nil, "q=fix-3": {attempt},
	} {
		if diff := cmp.Diff(want, everything(t, h, query, bearer...)); diff != "" {
			t.Errorf("token of a project, %s (-want +got):\n%s", query, diff)
		}
	}
	for query, where := range map[string]string{
		"q=" + strings.Repeat("a", 201): "q", "q=" + url.QueryEscape("a b c d e f g"): "q", "limit=9": "limit", "limit=0": "limit", "kinds=secret": "kinds", "x=1": "x",
	} {
		if a := h.Get(t, "/api/search?"+query); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, `"where":"`+where+`"`) {
			t.Errorf("%.30s = %d %s, want 400 about %s", query, a.Status, a.Body, where)
		}
	}
	h.Delete(t, "/api/projects/"+p.ID.String())
	for _, query := range []string{"q=daily", "q=2026-01-02", "q=fix-3", "q=v1", fmt.Sprintf("q=%d&kinds=attempt,session", a.ID)} {
		for _, text := range everything(t, h, query) {
			if strings.Contains(text, "daily") || strings.Contains(text, "tokyo") {
				t.Errorf("%s finds %s of a deleted project", query, text)
			}
		}
	}
}
