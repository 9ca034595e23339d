package killtest

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Trial is a workflow that begins something outside, in a server that is killed again and again.
type Trial struct {
	Settings []string
	Env      []string          // variables of the server
	Secrets  map[string]string // of the project
	Files    map[string]string // of the project; the workflow is in main.dig
	Assassin *Assassin
	Kills    int
	Result   string // stands in the document of the tasks of a session that has its result
	// Begun returns what was begun outside, how often for each session.
	Begun func() map[string]int
}

// Run kills the server, and begins a session before each time. It checks that each of them has one job and one result.
func (c *Trial) Run(t *testing.T) {
	t.Helper()
	program, err := exec.LookPath("trowel")
	if err != nil {
		t.Fatal(err)
	}
	settings := []string{"digdag.secret-encryption-key = AAECAwQFBgcICQoLDA0ODw==", "agent.max-task-threads = 8", "agent.poison_limit = 1000"}
	s := Start(t, Process{Program: program, Env: c.Env, Settings: append(settings, c.Settings...)})
	s.PushFiles("p", c.Files)
	for key, value := range c.Secrets {
		if status, text := s.Request("PUT", "/api/projects/1/secrets/"+key, "application/json", param.JSON(param.Of("value", value))); status/100 != 2 {
			t.Fatalf("secret %s: %d %s", key, status, text)
		}
	}
	attempts := make([]string, c.Kills)
	for i := range attempts {
		c.Assassin.arm(i)
		attempts[i] = s.StartAttempt("1", time.Unix(0, 0).UTC().AddDate(0, 0, i).Format(time.RFC3339))
		s.Eventually("a request to be killed at", c.Assassin.hasStruck)
		s.Kill()
	}
	c.Assassin.rest()
	for i, attempt := range attempts {
		if got := s.Wait(attempt); got != "success" {
			t.Errorf("session %d: %s, tasks %v", i+1, got, s.States(attempt))
		}
		if _, text := s.Request("GET", "/api/attempts/"+attempt+"/tasks", "application/json", ""); !strings.Contains(text, c.Result) {
			t.Errorf("session %d has no result: %s", i+1, text)
		}
	}
	begun := c.Begun()
	if len(begun) != c.Kills {
		t.Errorf("%d sessions have begun something, want %d", len(begun), c.Kills)
	}
	for session, n := range begun {
		if n != 1 {
			t.Errorf("session %s has begun %d, want 1", session, n)
		}
	}
	t.Logf("killed %s", c.Assassin)
}
