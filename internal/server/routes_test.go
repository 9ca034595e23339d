package server

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/server/agentapi"
	"github.com/trowel-project/trowel/internal/server/download"
	"github.com/trowel-project/trowel/internal/server/rest"
	v1 "github.com/trowel-project/trowel/internal/server/v1"
)

// free are the routes that need no right. What they say is for everybody, or they check the caller themselves.
var free = []string{"getHealth", "getLive", "getVersion", "checkVersion", "getUserInfo", "getMe", "getLoginOptions", "signIn", "signOut", "getLogins", "signOutOthers", "signOutOne"}

// hidden are the routes that only read, and that need more than the right to read.
var hidden = []string{"getTokens"}

// Who may read may do all that only reads, and nothing else.
func TestReadersRead(t *testing.T) {
	t.Parallel()
	reader := access.Caller{Role: access.RoleRead}
	agents := agentRoutes()
	for _, r := range allRoutes() {
		if r.Verb == "" || agents[r.Name] {
			continue
		}
		reads := r.Method == "GET" && !slices.Contains(hidden, r.Name)
		if may := reader.May(r.Verb, 0); may != reads {
			t.Errorf("%s %s has the verb %s: a reader may use it %v, want %v", r.Method, r.Path, r.Verb, may, reads)
		}
	}
}

// The group v1 has Digdag's paths and no others: it answers in Digdag's words.
func TestDigdagsRoutes(t *testing.T) {
	t.Parallel()
	want := strings.Fields(`
		getVersion checkVersion
		getProjects putProject getProject getProjectById deleteProject getRevisions getArchive getWorkflow getWorkflows getWorkflowByName
		getProjectSchedules getProjectSessions getProjectSecrets putProjectSecret deleteProjectSecret
		getWorkflowDefinition getWorkflowDefinitions getWorkflowDefinitionById getTruncatedSessionTime
		getSchedules getScheduleById skipSchedule backfillSchedule disableSchedule enableSchedule
		getSessions getSession getSessionAttempts
		getAttempts startAttempt getAttempt getAttemptRetries getTasks killAttempt getUserInfo
		getFileHandles getFile`)
	var got []string
	for _, r := range digdagRoutes() {
		got = append(got, r.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what Digdag does not have belongs into another group (-want +got):\n%s", diff)
	}
}

// People find each path that Digdag does not have in the documents.
func TestRoutesAreDocumented(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	var text strings.Builder
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	digdags, agents := map[string]bool{}, agentRoutes()
	for _, r := range digdagRoutes() {
		digdags[r.Name] = true
	}
	placeholder := regexp.MustCompile(`\\\{[^}]*\\\}`)
	for _, r := range allRoutes() {
		if digdags[r.Name] || agents[r.Name] {
			continue
		}
		path := placeholder.ReplaceAllString(regexp.QuoteMeta(r.Path), "[A-Z_0-9a-z]+")
		if !regexp.MustCompile(path + `\b`).MatchString(text.String()) {
			t.Errorf("%s %s is in no page of docs; docs/rest.md is the place for it", r.Method, r.Path)
		}
	}
}

func allRoutes() []rest.Route {
	return Routes(&Options{V1: v1.Options{Archives: &download.Archives{}}})
}

func digdagRoutes() []rest.Route { return v1.Routes(&v1.Options{Archives: &download.Archives{}}) }

// agentRoutes are the names of what only agents ask.
func agentRoutes() map[string]bool {
	names := map[string]bool{}
	for _, r := range agentapi.Routes(agentapi.Options{}) {
		names[r.Name] = true
	}
	return names
}

// Every route has what the API document and metrics need, and no name or path occurs twice.
func TestRoutesAreWhole(t *testing.T) {
	t.Parallel()
	names, places := map[string]bool{}, map[string]bool{}
	for _, r := range allRoutes() {
		place := r.Method + " " + r.Path
		if r.Name == "" || r.About == "" || r.Handle == nil || !strings.HasSuffix(r.About, ".") {
			t.Errorf("%s lacks a name, a sentence or a handler", place)
		}
		if free := slices.Contains(free, r.Name); free != (r.Verb == "") {
			t.Errorf("%s has the verb %q; only the routes in the list need none", place, r.Verb)
		}
		if names[r.Name] || places[place] {
			t.Errorf("%s, %s stands twice", r.Name, place)
		}
		names[r.Name], places[place] = true, true
	}
}
