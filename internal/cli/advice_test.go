package cli

import (
	"strings"
	"testing"
)

// A missing secret is answered with what to type, on a server in the log of the task and by why. The
// message that workflows see is Digdag's.
func TestMissingSecretOnServer(t *testing.T) {
	t.Parallel()
	s := serve(t, "digdag.secret-encryption-key", "MDEyMzQ1Njc4OTAxMjM0NQ==")
	s.push("etl", "+a:\n  sh>: echo $A\n  _env: {A: '${secret:db.nope}'}\n  _error: {echo>: 'got ${error.message}.'}\n")
	attempt := s.start("1", "2024-01-01T00:00:00Z")
	s.status(attempt)
	const fix = "trowel secrets --project etl --set db.nope"
	log := newConsole(t).run("log", attempt, "-e", s.url).stdout
	if !strings.Contains(log, "fix: "+fix+"\n") || !strings.Contains(log, "got Secret not found for key: 'db.nope' (secret not found).\n") {
		t.Errorf("log lacks the fix or Digdag's message:\n%s", log)
	}
	if why := newConsole(t).run("why", attempt, "-e", s.url).stdout; !strings.Contains(why, fix+"\n") {
		t.Errorf("why lacks the fix:\n%s", why)
	}
}

// In a local run the summary says it.
func TestMissingSecretInRun(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.write("m.dig", "+a:\n  sh>: echo $A\n  _env: {A: '${secret:nope}'}\n")
	if out := c.run("run", "m.dig"); !strings.Contains(out.stderr, "    fix: trowel secrets --local --set nope\n") || strings.Contains(out.stdout, "fix:") {
		t.Errorf("run: %s%s", out.stdout, out.stderr)
	}
	if out := c.run("run", "m.dig", "--json"); !strings.Contains(out.stdout, `"fix":"trowel secrets --local --set nope"`) {
		t.Errorf("run --json: %s", out.stdout)
	}
}
