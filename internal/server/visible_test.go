package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/hub"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// sighted is a request of an operation, with {kind} where it names a thing. own is the status for a token of one project,
// if all things are of this project; 200 if it is zero.
type sighted struct {
	path, body string
	own        int
}

// sightedRequests has all operations. The requests set all parameters and fields that name things, except those of
// namesNothing and names of new things.
func sightedRequests() map[string]sighted {
	const revised = "?revision={revision}"
	site, agents := http.StatusForbidden, http.StatusForbidden
	return map[string]sighted{
		"getMe": {}, "getLoginOptions": {}, "getLogins": {}, "signOutOthers": {}, "signOut": {}, "signOutOne": {path: "", own: http.StatusNotFound},
		"signIn":     {body: `{"user":"u","password":"p","token":""}`, own: http.StatusConflict},
		"getVersion": {}, "checkVersion": {path: "?client=0.1.0"}, "getHealth": {}, "getLive": {}, "getOpenAPI": {},
		"getProjects": {path: "?name={projectName}"}, "getProject": {path: "?name={projectName}"}, "getProjectById": {},
		"putProject": {path: "?project={projectName}&revision=new"}, "deleteProject": {},
		"getRevisions": {path: "?name={revision}"}, "getArchive": {path: revised},
		"getWorkflow": {path: "?name={workflowName}&revision={revision}"}, "getWorkflows": {path: revised + "&name={workflowName}"},
		"getWorkflowByName": {path: revised}, "getProjectSchedules": {path: "?workflow={workflowName}"},
		"getProjectSessions": {path: "?workflow={workflowName}"}, "getProjectSecrets": {},
		"putProjectSecret": {body: `{"value":"v"}`}, "deleteProjectSecret": {},
		"getWorkflowDefinition":  {path: "?project={projectName}&name={workflowName}&revision={revision}"},
		"getWorkflowDefinitions": {}, "getWorkflowDefinitionById": {}, "getTruncatedSessionTime": {path: "?session_time=2024-01-01T00:00"},
		"getSchedules": {}, "getScheduleById": {}, "skipSchedule": {body: `{"nextTime":"2300-01-01T00:00:00","dryRun":true}`},
		"backfillSchedule": {body: `{"fromTime":"2026-01-01T00:00:00Z","attemptName":"n","count":1,"dryRun":true}`}, "disableSchedule": {}, "enableSchedule": {},
		"getSessions": {}, "getSession": {}, "getSessionAttempts": {},
		"getAttempts": {path: "?project={projectName}&workflow={workflowName}"}, "getAttempt": {}, "getAttemptRetries": {}, "getTasks": {},
		"startAttempt": {
			body: `{"workflowId":"{workflow}","sessionTime":"2024-03-01T00:00:00Z","params":{},"resume":{"mode":"from","from":"{taskName}","attemptId":"{attempt}"}}`,
		},
		"killAttempt": {own: http.StatusConflict}, "getUserInfo": {own: http.StatusNotFound},
		"getFindings": {path: revised}, "retryAttempt": {body: `{"mode":"all","revision":"{revision}"}`}, "getScheduleDecisions": {}, "getNextRuns": {}, "getSessionWhy": {path: "?sessionTime=2024-03-01T00:00:00Z"}, "getFiles": {path: revised}, "getRevisionDiff": {path: "?from={revision}"}, "getFileContent": {path: revised + "&path={workflowName}.dig"}, "getTaskPlaces": {}, "getTasksOutside": {},
		"getFileHandles": {path: "?task={taskName}"}, "getFile": {own: http.StatusNotFound},
		"getLog": {path: "?task={task}"}, "searchLog": {path: "?q=x&task={task}"},
		"getEvents":     {path: "?topic=attempt:{attempt}"},
		"getAttemptWhy": {path: "?task={taskName}"}, "getReasons": {}, "getTask": {}, "getTaskWhy": {}, "getOverview": {}, "getLate": {}, "getUpcoming": {path: "?project={projectName}&workflow={workflowName}"}, "getAttemptSummary": {}, "getFailures": {path: "?project={projectName}&workflow={workflowName}"}, "getTree": {path: "?parent={task}&around={task}"},
		"getPools": {path: "?project={projectName}"}, "getPool": {path: "?project={projectName}"}, "getPoolTasks": {path: "?project={projectName}"},
		"getPoolHistory": {path: "?project={projectName}"}, "putPool": {path: "?project={projectName}", body: `{"slots":3}`},
		"deletePool": {path: "?project={projectName}"},
		"getQueues":  {}, "getAgents": {}, "getAgent": {}, "getAgentTasks": {}, "drainAgent": {own: site}, "undrainAgent": {own: site},
		"getWorkflowState": {}, "pauseWorkflow": {}, "resumeWorkflow": {},
		"getAudit":         {path: "?project={projectName}&workflow={workflowName}&attempt={attempt}&task={taskName}"},
		"searchEverything": {path: "?q={projectName}"},
		"searchAttempts":   {path: "?project={projectName}&workflow={workflowName}"},
		"getTokens":        {own: site}, "postToken": {body: `{"name":"t","role":"read","project":"{projectName}"}`, own: site}, "deleteToken": {own: site},
		"registerAgent": {own: agents, body: `{}`}, "deleteAgent": {own: agents}, "streamLeases": {own: agents, body: `{}`}, "beatAgent": {own: agents, body: `{}`},
		"reportTries": {own: agents, body: `{}`}, "putAgentLogs": {own: agents, body: `{}`}, "getAgentSecret": {own: agents, body: `{}`},
		"startAgentSession": {own: agents, body: `{}`}, "putAgentParams": {own: agents, body: `{}`}, "findAgentParams": {own: agents, body: `{}`},
		"getAgentArchive": {own: agents},
	}
}

// namesNothing are the parameters and fields that name no things: cursors, filters and settings of new things.
func namesNothing() []string {
	return strings.Fields(`limit cursor last_id count page_size order name_pattern search_project_name include_retried direct_download client version mode
		session_time after use dryRun expect note actor action source from to unit status createdFrom createdTo sort schedule_from clear_schedule
		clear_schedule_all value fromTime attemptName nextTime nextRunTime skipSchedule params sessionTime retryAttemptName slots description
		kinds try subtree tail line at download regex case level count user password token includeDeferred role since until cause depth filter q flat fields expiresAt revision name workflow task path`)
}

// operation is an operation of the API document.
type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct{ Name, In string }
	Body       *struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	} `json:"requestBody"`

	method, path string
}

type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]schema
	AnyOf      []schema
	Items      *schema
}

// fields returns the names of all fields of a schema and of its parts.
func (s schema) fields(all map[string]schema) (names []string) {
	if s.Ref != "" {
		s = all[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
	}
	for name, part := range s.Properties {
		names = append(append(names, name), part.fields(all)...)
	}
	for _, part := range s.AnyOf {
		names = append(names, part.fields(all)...)
	}
	if s.Items != nil {
		names = append(names, s.Items.fields(all)...)
	}
	return names
}

// operations reads all operations, and checks that sightedRequests has each with all that may name a thing.
func operations(t *testing.T, h *servertest.Server) map[string]operation {
	t.Helper()
	var document struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal([]byte(h.Get(t, "/api/openapi.json").Body), &document); err != nil {
		t.Fatal(err)
	}
	found, rows := map[string]operation{}, sightedRequests()
	for path, methods := range document.Paths {
		for method, o := range methods {
			o.method, o.path = strings.ToUpper(method), path
			found[o.ID] = o
			row, ok := rows[o.ID]
			if !ok {
				t.Errorf("%s is not in sightedRequests: add it, with {kind} wherever it names a thing", o.ID)
			}
			var names []string
			for _, p := range o.Parameters {
				if p.In == "query" {
					names = append(names, p.Name)
				}
			}
			if o.Body != nil && !strings.HasPrefix(path, "/api/agents") { // their bodies are of agents, who see no projects
				for _, content := range o.Body.Content {
					names = append(names, schema{Ref: content.Schema.Ref}.fields(document.Components.Schemas)...)
				}
			}
			for _, name := range names {
				named := strings.Contains(row.path, name+"=") || strings.Contains(row.body, `"`+name+`"`)
				if !named && !slices.Contains(namesNothing(), name) {
					t.Errorf("%s takes %s: does it name a thing? Add it to sightedRequests or namesNothing", o.ID, name)
				}
			}
		}
	}
	for id := range rows {
		if _, ok := found[id]; !ok {
			t.Errorf("there is no operation %s any more", id)
		}
	}
	return found
}

// belongings makes a project with one thing of each kind, and returns their names by kind. All names contain that of the
// project.
func belongings(t *testing.T, h *servertest.Server, name string) map[string]string {
	t.Helper()
	flow := name + "_flow"
	if a := h.Push(t, "project="+name+"&revision="+name+"_rev", flow+".dig", servertest.Scheduled); a.Status != http.StatusOK {
		t.Fatalf("push: %d %s", a.Status, a.Body)
	}
	p := servertest.Read[api.ProjectCollection](t, h.Get(t, "/api/projects?name="+name), 200).Projects[0]
	w := servertest.Read[api.WorkflowCollection](t, h.Get(t, "/api/projects/"+p.ID.String()+"/workflows"), 200).Workflows[0]
	s := servertest.Read[api.ScheduleCollection](t, h.Get(t, "/api/projects/"+p.ID.String()+"/schedules"), 200).Schedules[0]
	a := servertest.Read[api.Attempt](t, h.Put(t, "/api/attempts", `{"workflowId":"`+w.ID.String()+`","sessionTime":"2024-01-01T00:00:00Z","params":{"x":"`+name+`"}}`), 200)
	root, task := trowel.TaskID(a.ID*1000), trowel.TaskID(a.ID*1000+1)
	err := h.Store.Update(t.Context(), func(tx trowel.Tx) error {
		return tx.InsertTasks(t.Context(), []*trowel.Task{
			{ID: root, AttemptID: trowel.AttemptID(a.ID), FullName: "+" + flow, Group: true, State: trowel.TaskPlanned},
			{
				ID: task, AttemptID: trowel.AttemptID(a.ID), ParentID: root, FullName: "+" + flow + "+a", State: trowel.TaskReady,
				Requirements: servertest.Needing("shared", 1, 1),
			},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Put(t, "/api/projects/"+p.ID.String()+"/secrets/"+name+".key", `{"value":"hush"}`)
	h.Put(t, "/api/pools/"+name+"_pool?project="+name, `{"slots":1}`)
	return map[string]string{
		"project": p.ID.String(), "projectName": name, "revision": name + "_rev", "workflow": w.ID.String(), "workflowName": flow,
		"schedule": s.ID.String(), "session": a.SessionID.String(), "attempt": a.ID.String(), "task": fmt.Sprint(task), "taskName": "%2B" + flow,
		"file": name + ".log.gz", "key": name + ".key", "pool": name + "_pool", "agent": name + "_agent", "token": "1", "login": "1",
	}
}

// nothing returns names of things that do not exist.
func nothing(own map[string]string) map[string]string {
	none := map[string]string{}
	for kind, value := range own {
		if none[kind] = "98765"; strings.ContainsFunc(value, func(c rune) bool { return c < '0' || c > '9' }) {
			none[kind] = "nobody"
		}
	}
	none["taskName"] = "%2Bnobody"
	return none
}

// pathKind returns the kind of thing that a placeholder of a path names.
func pathKind(path, placeholder string) string {
	noun := strings.Split(path, "/")[2]
	switch {
	case placeholder == "name" && noun == "projects":
		return "workflowName"
	case placeholder == "attempt", placeholder == "task", placeholder == "file", placeholder == "key":
		return placeholder
	case noun == "admin":
		return "attempt"
	}
	return strings.TrimSuffix(noun, "s")
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// template returns the request of an operation, with kinds in its path.
func (o operation) template() sighted {
	row := sightedRequests()[o.ID]
	if o.ID == "putPool" || o.ID == "deletePool" {
		o.path = "/api/pools/spare" // whatever its name is, it is of the project that is named beside it
	}
	path := placeholder.ReplaceAllStringFunc(o.path, func(p string) string { return "{" + pathKind(o.path, strings.Trim(p, "{}")) + "}" })
	return sighted{path + row.path, row.body, row.own}
}

func askFor(t *testing.T, h *servertest.Server, o operation, values map[string]string, bearer string) servertest.Answer {
	t.Helper()
	r := o.template()
	fill := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(p string) string { return values[strings.Trim(p, "{}")] })
	}
	contentType := ""
	if o.Body != nil {
		contentType = "application/json"
	}
	body := strings.ReplaceAll(fill(r.body), "%2B", "+")
	if o.ID == "putProject" {
		contentType, body = "application/gzip", servertest.Packed(t, "new.dig", "+a:\n  echo>: a\n")
	}
	if o.ID == "getEvents" {
		return first(t, h, fill(r.path), bearer)
	}
	return h.Do(t, o.method, fill(r.path), contentType, body, "Authorization", "Bearer "+bearer)
}

// first returns the beginning of a stream, or a whole error.
func first(t *testing.T, h *servertest.Server, path, bearer string) servertest.Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	w, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Body.Close() }()
	text := make([]byte, 1000)
	n, _ := w.Body.Read(text)
	return servertest.Answer{Status: w.StatusCode, Header: w.Header, Body: string(text[:n])}
}

// For a token of one project, things of other projects look as if they did not exist: in all operations, for all roles, and
// wherever a request names them. Nothing of them changes.
func TestOtherProjectsAreHidden(t *testing.T) {
	t.Parallel()
	h := servertest.New(t, func(o *server.Options) { o.Agents.Agents = hub.New(hub.Options{}) })
	own, other := belongings(t, h, "alpha"), belongings(t, h, "bravo")
	none := nothing(own)
	operations := operations(t, h)
	if t.Failed() {
		return
	}
	admin := h.Token(t, access.RoleAdmin, "alpha")
	ids := slices.Sorted(maps.Keys(operations))
	for _, id := range ids { // lists have nothing of the other project
		if o := operations[id]; o.method == http.MethodGet {
			for _, asked := range []operation{o, {method: o.method, path: o.path}} { // with all filters and without any
				if a := askFor(t, h, asked, own, admin); strings.Contains(a.Body, "bravo") && asked.path != "/api/events" {
					t.Errorf("%s tells of the other project: %s", id, a.Body)
				}
			}
		}
	}
	before := state(t, h, other)
	for _, role := range []access.Role{access.RoleRead, access.RoleOperator, access.RoleAdmin} {
		bearer := h.Token(t, role, "alpha")
		for _, id := range ids {
			compareAnswers(t, h, operations[id], role, bearer, own, other, none)
		}
	}
	for i, after := range state(t, h, other) {
		if after != before[i] {
			t.Errorf("the other project has changed:\n%s\nbecame\n%s", before[i], after)
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return rank(operations[a]) - rank(operations[b]) })
	for _, id := range ids { // the requests are valid: they work within the own project
		want := operations[id].template().own
		if want == 0 {
			want = http.StatusOK
		}
		if strings.HasSuffix(id, "Agent") || strings.Contains(operations[id].path, "/agents/") {
			continue // there is none, and it has no project
		}
		if a := askFor(t, h, operations[id], own, admin); a.Status != want {
			t.Errorf("%s of the own project: %d %s, want %d", id, a.Status, a.Body, want)
		}
	}
}

// rank orders operations: those that change nothing first, those that delete last.
func rank(o operation) int {
	switch {
	case o.method == http.MethodGet:
		return 0
	case o.ID == "deleteProject":
		return 3
	case o.method == http.MethodDelete, o.ID == "putProject":
		return 2
	}
	return 1
}

// compareAnswers names each thing of the other project in turn, and then all of them. The answers must be those for things
// that do not exist.
func compareAnswers(t *testing.T, h *servertest.Server, o operation, role access.Role, bearer string, own, other, none map[string]string) {
	t.Helper()
	r := o.template()
	var kinds []string
	for _, match := range placeholder.FindAllStringSubmatch(r.path+r.body, -1) {
		kinds = append(kinds, match[1])
	}
	if len(kinds) == 0 {
		return
	}
	for _, changed := range append([][]string{kinds}, singles(kinds)...) {
		with := func(values map[string]string) string {
			mixed := maps.Clone(own)
			for _, kind := range changed {
				mixed[kind] = values[kind]
			}
			a := askFor(t, h, o, mixed, bearer)
			text := fmt.Sprint(a.Status, " ", a.Body)
			for _, kind := range changed {
				value := strings.TrimPrefix(values[kind], "%2B")
				text = regexp.MustCompile(`\b`+regexp.QuoteMeta(value)+`\b`).ReplaceAllString(text, "X")
			}
			return text
		}
		got, want := with(other), with(none)
		if got != want {
			t.Errorf("%s as %s, with %v of the other project:\n%s\nwhere there is none:\n%s", o.ID, role, changed, got, want)
		}
		if strings.Contains(got, "bravo") {
			t.Errorf("%s as %s, with %v of the other project, tells of it: %s", o.ID, role, changed, got)
		}
	}
}

func singles(kinds []string) (each [][]string) {
	for _, kind := range kinds {
		each = append(each, []string{kind})
	}
	return each
}

// state returns all of a project that others could change.
func state(t *testing.T, h *servertest.Server, of map[string]string) (all []string) {
	t.Helper()
	project := "/api/projects/" + of["project"]
	for _, path := range []string{
		project, project + "/revisions", project + "/workflows", project + "/schedules", project + "/sessions", project + "/secrets",
		project + "/workflows/" + of["workflowName"] + "/pause", "/api/attempts/" + of["attempt"] + "/retries", "/api/attempts/" + of["attempt"] + "/tasks",
		"/api/attempts?include_retried=true&project=" + of["projectName"], "/api/pools/" + of["pool"] + "?project=" + of["projectName"],
		"/api/audit?project=" + of["projectName"],
	} {
		all = append(all, path+": "+h.Get(t, path).Body)
	}
	return all
}
