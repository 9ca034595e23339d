package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/api"
	packed "github.com/trowel-project/trowel/internal/server/servertest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// What the dry run of a retry lists is what runs, whatever is asked for, and nothing runs if that has changed meanwhile.
func TestRetryRunsWhatItListed(t *testing.T) {
	t.Parallel()
	const flow = `
+load:
  +fetch:
    echo>: fetched
  +store:
    echo>: stored
+loop:
  for_each>: {n: [1, 2]}
  _do:
    +one:
      echo>: ${n}
+check:
  sh>: test -e %s
+report:
  echo>: done
`
	s := servertest.Start(t)
	s.Push("etl", strings.Replace(flow, "%s", "/nowhere", 1))
	first := s.StartAttempt("1", "2026-01-01T00:00:00Z")
	if status := s.Wait(first); status != "error" {
		t.Fatalf("first attempt = %s, want error", status)
	}
	retry := func(body string, status int) (shape api.Retry) {
		t.Helper()
		got, text := s.Request("POST", "/api/attempts/"+first+"/retry", "application/json", body)
		if got != status {
			t.Fatalf("%s: %d %s, want %d", body, got, text, status)
		}
		if status == 200 {
			if err := json.Unmarshal([]byte(text), &shape); err != nil {
				t.Fatal(err)
			}
		}
		return shape
	}
	for _, c := range []struct{ name, ask, run, states string }{
		{"all", `"mode":"all"`, "+main +main+load +main+load+fetch +main+load+store +main+loop +main+check +main+report", `{"blocked":1,"error":1,"success":3}`},
		{"failed", `"mode":"failed"`, "+main +main+check +main+report", `{"blocked":1,"error":1}`},
		{"from", `"mode":"from","from":"+loop"`, "+main +main+loop +main+check +main+report", `{"blocked":1,"error":1,"success":1}`},
	} {
		ask := c.ask + `,"name":"` + c.name + `"`
		plan := retry(`{`+ask+`,"dryRun":true}`, 200)
		var listed []string
		for _, item := range plan.Run.Items {
			listed = append(listed, item.FullName)
		}
		states, err := json.Marshal(plan.Run.ByState)
		if err != nil || strings.Join(listed, " ") != c.run || string(states) != c.states || plan.Attempt != nil {
			t.Errorf("%s lists %v, %s, %v, want %s, %s and no attempt", c.name, listed, states, plan.Attempt, c.run, c.states)
		}
		retry(`{`+ask+`,"params":{"x":1},"expect":"`+plan.Expect+`"}`, 412)
		begun := retry(`{`+ask+`,"expect":"`+plan.Expect+`"}`, 200)
		if begun.Attempt == nil {
			t.Fatalf("%s began nothing", c.name)
		}
		id := begun.Attempt.ID.String()
		s.Wait(id)
		var reused []string
		for name, tried := range triedTasks(t, s, id) {
			static := !strings.Contains(name, "^")
			if !tried && static && !slices.Contains(listed, name) {
				reused = append(reused, name)
			}
			if tried && static && !slices.Contains(listed, name) {
				t.Errorf("%s: %s ran, but was not listed", c.name, name)
			}
		}
		if len(reused) != len(plan.Reuse.Items) {
			t.Errorf("%s: reused %v, but listed %v", c.name, reused, plan.Reuse.Items)
		}
		retry(`{`+ask+`}`, 409)
	}
	for body, status := range map[string]int{
		`{"mode":"all","dryrun":true}`: 400, `{"mode":"some"}`: 400, `{}`: 400, `{"mode":"failed","from":"+a"}`: 400, `{"mode":"from","from":"+nothing"}`: 400,
		`{"mode":"all","revision":"none"}`: 404,
	} {
		retry(body, status)
	}
	again := packed.Packed(t, "main.dig", "+load:\n  echo>: all\n")
	if status, text := s.Request("PUT", "/api/projects?project=etl&revision=r2", "application/gzip", again); status != 200 {
		t.Fatalf("push: %d %s", status, text)
	}
	plan := retry(`{"mode":"failed","revision":"latest","dryRun":true}`, 200)
	if text := strings.Join(plan.Warnings, "; "); !strings.Contains(text, "lacks 5 tasks of attempt "+first+": +main+load+fetch") {
		t.Errorf("warnings = %s, want those about tasks that are gone", text)
	}
	plan = retry(`{"mode":"failed","dryRun":true}`, 200)
	if text := strings.Join(plan.Warnings, "; "); !strings.Contains(text, "is not the newest one of the project") {
		t.Errorf("warnings = %s, want that about the revision", text)
	}
}

// triedTasks returns the tasks of an attempt, and whether each of them had a try.
func triedTasks(t *testing.T, s *servertest.Server, attempt string) map[string]bool {
	t.Helper()
	_, text := s.Request("GET", "/api/attempts/"+attempt+"/tasks", "", "")
	var list api.TaskCollection
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, task := range list.Tasks {
		tried[task.FullName] = task.StartedAt != nil
	}
	return tried
}
