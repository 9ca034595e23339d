package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// documented is a request whose answer TestOpenAPI compares with the API document. route is the path as the document has it, if
// that is not path without its query; 409 is path answered so.
type documented struct{ method, path, route, contentType, body string }

func documentedRequests(t *testing.T) []documented {
	t.Helper()
	return []documented{
		{"PUT", "/api/projects?project=p&revision=r1", "/api/projects", "application/gzip", servertest.Packed(t, "main.dig", servertest.Scheduled)},
		{"GET", "/api/me", "", "", ""},
		{"GET", "/api/login/options", "", "", ""},
		{"GET", "/api/login/sessions", "", "", ""},
		{"DELETE", "/api/login/sessions", "", "", ""},
		{"DELETE", "/api/login", "", "", ""},
		{"GET", "/api/projects", "", "", ""},
		{"GET", "/api/projects/1", "/api/projects/{id}", "", ""},
		{"GET", "/api/project?name=p", "/api/project", "", ""},
		{"GET", "/api/projects/1/revisions", "/api/projects/{id}/revisions", "", ""},
		{"GET", "/api/projects/1/findings?revision=r1", "/api/projects/{id}/findings", "", ""},
		{"GET", "/api/projects/1/workflows/main/why?sessionTime=2024-01-01T00:00:01Z", "/api/projects/{id}/workflows/{name}/why", "", ""},
		{"GET", "/api/schedules/1/decisions", "/api/schedules/{id}/decisions", "", ""},
		{"GET", "/api/schedules/1/next?count=3", "/api/schedules/{id}/next", "", ""},
		{"GET", "/api/projects/1/diff?from=r1", "/api/projects/{id}/diff", "", ""},
		{"GET", "/api/projects/1/files?revision=r1", "/api/projects/{id}/files", "", ""},
		{"GET", "/api/projects/1/workflows", "/api/projects/{id}/workflows", "", ""},
		{"GET", "/api/projects/1/workflows/main", "/api/projects/{id}/workflows/{name}", "", ""},
		{"GET", "/api/projects/1/workflow?name=main", "/api/projects/{id}/workflow", "", ""},
		{"GET", "/api/projects/1/schedules", "/api/projects/{id}/schedules", "", ""},
		{"GET", "/api/workflows", "", "", ""},
		{"GET", "/api/workflows/1", "/api/workflows/{id}", "", ""},
		{"GET", "/api/workflow?project=p&name=main", "/api/workflow", "", ""},
		{"GET", "/api/workflows/1/truncated_session_time?session_time=2024-01-01T00:00", "/api/workflows/{id}/truncated_session_time", "", ""},
		{"PUT", "/api/attempts", "", "application/json", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{}}`},
		{"PUT", "/api/attempts", "409", "application/json", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{}}`},
		{"GET", "/api/attempts", "", "", ""},
		{"GET", "/api/attempts/1", "/api/attempts/{id}", "", ""},
		{"GET", "/api/attempts/1/retries", "/api/attempts/{id}/retries", "", ""},
		{"GET", "/api/attempts/1/tasks", "/api/attempts/{id}/tasks", "", ""},
		{"GET", "/api/attempts/1/places", "/api/attempts/{id}/places", "", ""},
		{"GET", "/api/attempts/1/outside", "/api/attempts/{id}/outside", "", ""},
		{"GET", "/api/attempts/1/tree?depth=3&fields=tries,reason", "/api/attempts/{id}/tree", "", ""},
		{"GET", "/api/attempts/1/summary", "/api/attempts/{id}/summary", "", ""},
		{"GET", "/api/overview", "", "", ""},
		{"GET", "/api/late", "", "", ""},
		{"GET", "/api/upcoming?to=2300-01-01T00:00:00Z&limit=3", "/api/upcoming", "", ""},
		{"GET", "/api/failures?project=p", "/api/failures", "", ""},
		{"GET", "/api/attempts/1/log/search?q=x", "/api/attempts/{id}/log/search", "", ""},
		{"GET", "/api/attempts/1/why", "/api/attempts/{id}/why", "", ""},
		{"GET", "/api/attempts/1/reasons", "/api/attempts/{id}/reasons", "", ""},
		{"POST", "/api/attempts/1/retry", "/api/attempts/{id}/retry", "application/json", `{"mode":"all","dryRun":true}`},
		{"GET", "/api/sessions", "", "", ""},
		{"GET", "/api/sessions/1", "/api/sessions/{id}", "", ""},
		{"GET", "/api/sessions/1/attempts", "/api/sessions/{id}/attempts", "", ""},
		{"GET", "/api/projects/1/sessions", "/api/projects/{id}/sessions", "", ""},
		{"GET", "/api/schedules", "", "", ""},
		{"GET", "/api/schedules/1", "/api/schedules/{id}", "", ""},
		{"POST", "/api/schedules/1/disable", "/api/schedules/{id}/disable", "", ""},
		{"POST", "/api/schedules/1/enable", "/api/schedules/{id}/enable", "application/json", ""},
		{"POST", "/api/schedules/1/skip", "/api/schedules/{id}/skip", "application/json", `{"nextTime":"2300-01-01T00:00:00","dryRun":true}`},
		{"POST", "/api/schedules/1/backfill", "/api/schedules/{id}/backfill", "application/json", `{"fromTime":"2026-01-01T00:00:00Z","attemptName":"n","count":1,"dryRun":true}`},
		{"PUT", "/api/projects/1/secrets/k", "/api/projects/{id}/secrets/{key}", "application/json", `{"value":"v"}`},
		{"GET", "/api/projects/1/secrets", "/api/projects/{id}/secrets", "", ""},
		{"DELETE", "/api/projects/1/secrets/k", "/api/projects/{id}/secrets/{key}", "", ""},
		{"GET", "/api/pools", "", "", ""},
		{"PUT", "/api/pools/db", "/api/pools/{name}", "application/json", `{"slots":0}`},
		{"GET", "/api/pools/db", "/api/pools/{name}", "", ""},
		{"GET", "/api/pools/default/tasks?use=waiting", "/api/pools/{name}/tasks", "", ""},
		{"GET", "/api/pools/db/history", "/api/pools/{name}/history", "", ""},
		{"DELETE", "/api/pools/db?dryRun=true", "/api/pools/{name}", "", ""},
		{"GET", "/api/queues", "", "", ""},
		{"GET", "/api/agents", "", "", ""},
		{"GET", "/api/agents/a", "/api/agents/{id}", "", ""},
		{"GET", "/api/agents/a/tasks", "/api/agents/{id}/tasks", "", ""},
		{"POST", "/api/agents/a/drain", "/api/agents/{id}/drain", "", ""},
		{"POST", "/api/agents/a/undrain", "/api/agents/{id}/undrain", "", ""},
		{"POST", "/api/tokens", "", "application/json", `{"name":"t","role":"read"}`},
		{"GET", "/api/tokens", "", "", ""},
		{"DELETE", "/api/tokens/2", "/api/tokens/{id}", "", ""},
		{"POST", "/api/projects/1/workflows/main/pause", "/api/projects/{id}/workflows/{name}/pause", "", ""},
		{"GET", "/api/projects/1/workflows/main/pause", "/api/projects/{id}/workflows/{name}/pause", "", ""},
		{"POST", "/api/projects/1/workflows/main/resume", "/api/projects/{id}/workflows/{name}/resume", "application/json", `{"note":"x"}`},
		{"GET", "/api/audit", "", "", ""},
		{"GET", "/api/search?q=p", "/api/search", "", ""},
		{"GET", "/api/search/attempts", "", "", ""},
		{"GET", "/api/search/attempts?status=success&limit=1", "/api/search/attempts", "", ""},
		{"GET", "/api/audit?attempt=1&order=asc", "/api/audit", "", ""},
		{"GET", "/api/logs/1/files", "/api/logs/{attempt}/files", "", ""},
		{"GET", "/api/health", "", "", ""},
		{"GET", "/api/health/live", "", "", ""},
		{"GET", "/api/version", "", "", ""},
		{"GET", "/api/version/check?client=0.1.0", "/api/version/check", "", ""},
		{"DELETE", "/api/projects/1", "/api/projects/{id}", "", ""},
	}
}

// undocumented has the operations that TestOpenAPI does not ask for, and why.
func undocumented() map[string]string {
	const file, agents = "the answer is no JSON", "of agents; package remote reads it with the type of which the document is made"
	return map[string]string{
		"getArchive": file, "getFile": file, "getEvents": file, "getAgentArchive": file, "getFileContent": file, "getLog": file, "streamLeases": file,
		"registerAgent": agents, "deleteAgent": agents, "beatAgent": agents, "reportTries": agents, "putAgentLogs": agents, "getAgentSecret": agents,
		"startAgentSession": agents, "putAgentParams": agents, "findAgentParams": agents,
		"signIn": "nobody signs in here; package signin tests it", "signOutOne": "there is no browser here; package signin tests it",
		"getOpenAPI": "it has no schema", "killAttempt": "nothing runs here", "getUserInfo": "no attempt here has any",
	}
}

// TestOpenAPI checks answers against the API document.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, nil)
	text := []byte(h.Get(t, "/api/openapi.json").Body)
	var document any
	var operations struct {
		Paths map[string]map[string]operation
	}
	if err := errors.Join(json.Unmarshal(text, &document), json.Unmarshal(text, &operations)); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("api.json", document); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.PutAgent(t.Context(), &trowel.Agent{ID: "a", Name: "a", Slots: 1, StartedAt: now, SeenAt: now, LeaseEnds: now.Add(time.Hour)})
	})
	if err != nil {
		t.Fatal(err)
	}
	asked, bearer := map[string]bool{}, "Bearer "+h.Token(t, access.RoleAdmin, "")
	ask := func(r documented) {
		status, route := "200", r.route
		if route == "409" {
			status, route = "409", ""
		}
		if route == "" {
			route = r.path
		}
		method := strings.ToLower(r.method)
		asked[operations.Paths[route][method].ID] = true
		a := h.Do(t, r.method, r.path, r.contentType, r.body, "Authorization", bearer)
		if got := http.StatusText(a.Status); (a.Status == http.StatusOK) != (status == "200") {
			t.Errorf("%s %s = %d %s: %s", r.method, r.path, a.Status, got, a.Body)
			return
		}
		place := "api.json#/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(route) + "/" + method +
			"/responses/" + status + "/content/application~1json/schema"
		schema, err := compiler.Compile(place)
		if err != nil {
			t.Errorf("%s %s: %v", r.method, r.path, err)
			return
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Body))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s %s: %v\n%s", r.method, r.path, err, a.Body)
		}
	}
	for _, r := range documentedRequests(t) {
		ask(r)
	}
	task := &trowel.Task{State: trowel.TaskReady}
	path := fmt.Sprintf("/api/attempts/%d/tasks/", h.InsertTasks(t, "tasks", task))
	ask(documented{method: "GET", path: fmt.Sprint(path, task.ID), route: "/api/attempts/{id}/tasks/{task}"})
	ask(documented{method: "GET", path: fmt.Sprint(path, task.ID, "/why"), route: "/api/attempts/{id}/tasks/{task}/why"})
	exceptions := undocumented()
	for path, methods := range operations.Paths {
		for method, o := range methods {
			if _, excepted := exceptions[o.ID]; excepted == asked[o.ID] {
				t.Errorf("%s %s: add a request for %s to documentedRequests, or the reason why there is none to undocumented, not both",
					strings.ToUpper(method), path, o.ID)
			}
			delete(exceptions, o.ID)
		}
	}
	for id := range exceptions {
		t.Errorf("there is no operation %s any more: take it out of undocumented", id)
	}
}

// TestSwagger checks 2.6.9: with the setting the API document is at Digdag's paths, too, for callers of any origin.
func TestSwagger(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, func(o *server.Options) { o.REST.Swagger = true })
	for path, begin := range map[string]string{"/api/swagger.json": "{", "/api/swagger.yaml": "components:"} {
		a := h.Get(t, path)
		if a.Status != http.StatusOK || !strings.HasPrefix(a.Body, begin) {
			t.Errorf("GET %s = %d %s", path, a.Status, servertest.Short(a.Body))
		}
		if got := a.Header.Get("Access-Control-Allow-Origin"); got != "*" {
			t.Errorf("GET %s: Access-Control-Allow-Origin = %q, want *", path, got)
		}
	}
	if a := servertest.New(t, nil).Get(t, "/api/swagger.json"); a.Status != http.StatusNotFound {
		t.Errorf("without the setting: %d, want 404", a.Status)
	}
}
