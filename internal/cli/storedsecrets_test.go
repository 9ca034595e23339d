package cli

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// storing stores a secret in all ways, checks that later tasks have it, and shows it to its error tasks.
const (
	storingPy = `import digdag, os

def keep():
  s = os.environ["S"]
  digdag.env.store({"plain": s, "deep": {"list": [1, {"url": "http://me:%s@x/" % s}], "other": "x"}, "of": {s: 1}})
  digdag.env.export({"exported": [s]})
`
	storing = `_export: {py: {python: python3}}
+keep:
  py>: tasks.keep
  _env: {S: '${secret:db.pw}'}
+use:
  if>: ${plain == "hunter2" + "hunter2" && deep.list[1].url == "http://me:" + plain + "@x/" && of[plain] == 1}
  _do: {echo>: "true value"}
  _else_do: {fail>: "masked value"}
+after:
  fail>: "no"
  _error: {echo>: "handled"}
_error:
  +e: {echo>: "stored ${deep.other}"}
`
)

// everythingOf returns everything that the server shows of the tasks of an attempt.
func everythingOf(s *servertest.Server, attempt string) string {
	s.T.Helper()
	var all strings.Builder
	_, tasks := s.Request("GET", "/api/attempts/"+attempt+"/tasks", "application/json", "")
	all.WriteString(tasks)
	var list struct{ Tasks []struct{ ID string } }
	if err := json.Unmarshal([]byte(tasks), &list); err != nil {
		s.T.Fatalf("tasks: %v: %s", err, tasks)
	}
	paths := []string{"", "/why", "/retries"}
	for _, task := range list.Tasks {
		paths = append(paths, "/tasks/"+task.ID, "/tasks/"+task.ID+"/why")
	}
	for _, path := range append(paths, "/../../audit?limit=500", "/../../sessions", "/../../search/attempts") {
		_, text := s.Request("GET", filepath.Join("/api/attempts/"+attempt, strings.Split(path, "?")[0])+queryOf(path), "application/json", "")
		all.WriteString("\n" + path + ": " + text)
	}
	for _, args := range [][]string{{"tasks", attempt}, {"attempt", attempt}, {"log", attempt}, {"why", attempt}, {"audit"}, {"sessions"}} {
		out := newConsole(s.T).Run(append(args, "-e", s.URL)...)
		all.WriteString("\n" + strings.Join(args, " ") + ": " + out.Stdout + out.Stderr)
	}
	return all.String()
}

func queryOf(path string) string {
	if _, query, found := strings.Cut(path, "?"); found {
		return "?" + query
	}
	return ""
}

// Secrets that tasks store are shown nowhere, whichever agent runs them and however the secret changes. Later
// tasks and a resumed attempt have the true values.
func TestStoredSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	const value = "hunter2hunter2"
	dir := filepath.Join(t.TempDir(), "db")
	s := servertest.Start(t, "database.path", dir)
	set := func(value string) {
		if out := newConsole(t).Run("secrets", "--project", "etl", "--set", "db.pw="+value, "-e", s.URL); out.Exit != 0 {
			t.Fatalf("secrets --set: %s", out.Stderr)
		}
	}
	c := newConsole(t)
	c.Write("main.dig", storing)
	c.Write("tasks.py", storingPy)
	if out := c.Run("push", "etl", "-r", "r1", "-e", s.URL); out.Exit != 0 {
		t.Fatalf("push: %s%s", out.Stdout, out.Stderr)
	}
	set(value)
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	if status := s.Wait(attempt); status != "error" {
		t.Fatalf("attempt: %s: %v\n%s", status, s.States(attempt), newConsole(t).Run("log", attempt, "-e", s.URL).Stdout)
	}
	shown := everythingOf(s, attempt)
	check := func(what, shown string) {
		t.Helper()
		if at := strings.Index(shown, value); at >= 0 {
			t.Errorf("%s: the secret is shown: ...%s...", what, shown[max(0, at-300):min(len(shown), at+100)])
		}
		for _, part := range []string{
			`"plain":"********"`, `"deep":{"list":[1,{"url":"********"}],"other":"x"}`, `"of":{"********":1}`, `"exported":["********"]`, "true value", "stored x",
		} {
			if !strings.Contains(shown, part) {
				t.Errorf("%s: lacks %s", what, part)
			}
		}
	}
	check("ended attempt", shown)

	set("quite another one")
	s.End()
	s = servertest.Start(t, "database.path", dir) // which was never given the old one
	check("after the secret has changed", everythingOf(s, attempt))

	status, text := s.Request("PUT", "/api/attempts", "application/json", `{"workflowId":"1","sessionTime":"2024-01-01T00:00:00Z","params":{},`+
		`"retryAttemptName":"again","resume":{"mode":"failed","attemptId":"`+attempt+`"}}`)
	var resumed struct{ ID string }
	if err := json.Unmarshal([]byte(text), &resumed); err != nil || status != 200 {
		t.Fatalf("resume: %d %s", status, text)
	}
	if got := s.Wait(resumed.ID); got != "error" {
		t.Fatalf("resumed attempt: %s", got)
	}
	check("resumed attempt", everythingOf(s, resumed.ID)+"true value, stored x") // what succeeded does not run again
	s.End()
	trowtest.UpdateFile(t, filepath.Join(dir, "trowel.db"), func(tx trowel.Tx) error {
		tasks, err := tx.ListArchivedTasks(t.Context(), 1)
		if err != nil {
			return err
		}
		for _, task := range tasks {
			if strings.HasSuffix(task.FullName, "+keep") && param.JSON(task.Result.Store) == "" {
				t.Errorf("%s has lost its stores", task.FullName)
			}
			if plain, ok := task.Result.Store.Get("plain"); ok && plain != value {
				t.Errorf("%s: what is stored is %v, want the true value", task.FullName, plain)
			}
		}
		return nil
	})
}
