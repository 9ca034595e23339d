//go:build linux

package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// Control K823 on a server and on a remote agent: a command that exceeds a limit fails its task with the kind of the limit,
// limits are inherited part by part and may be expressions, and the bounds of the agent hold for tasks that ask for nothing.
func TestLimitsOfCommands(t *testing.T) {
	t.Parallel()
	const workflow = `_limits: {disk: 2MiB, pids: 300}
_export: {room: 3000000}
+small: {sh>: head -c 1000000 /dev/zero > f}
+exceeds:
  sh>: head -c ${room} /dev/zero > f
  _error: {echo>: "${error.message}"}
`
	const bounded = `+bounded: {sh>: for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 5 & done; wait}
`
	const above = `+above: {sh>: "true", _limits: {pids: "${4 + 5}"}}
`
	for _, row := range []struct {
		name   string
		remote bool
	}{{"own agent", false}, {"remote agent", true}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			settings, enabled := []string{"agent.limits.pids", "8"}, "true"
			if row.remote {
				enabled = "false"
			}
			s := servertest.Start(t, append([]string{"agent.enabled", enabled}, settings...)...)
			if row.remote {
				servertest.Connect(t, s, settings...)
			}
			s.Push("limits", strings.Replace(workflow, "pids: 300", "pids: 8", 1))
			runs(t, s, "1", "more space for files than its limit of 2MiB; its peak was 2.9MiB (disk)")
			s.Push("bounded", bounded)
			runs(t, s, "2", "Task +main+bounded failed: The command used more processes than its limit of 8; its peak was ", " (pids)")
			s.Push("above", above)
			runs(t, s, "3", "Parameter '_limits.pids' is 9, but this agent allows at most 8 (agent.limits.pids) (config)")
		})
	}
}

// runs starts a workflow, whose attempt must fail with texts in its log.
func runs(t *testing.T, s *servertest.Server, workflow string, texts ...string) {
	t.Helper()
	attempt := s.StartAttempt(workflow, "2024-01-01T00:00:00Z")
	if got := s.Wait(attempt); got != "error" {
		t.Errorf("workflow %s ended as %s, want error: %v", workflow, got, s.States(attempt))
	}
	out := newConsole(t).Run("log", attempt, "-e", s.URL).Stdout
	for _, text := range texts {
		if !strings.Contains(out, text) {
			t.Errorf("the log lacks %q: %s", text, out)
		}
	}
}

// A task that asks for a limit which no agent keeps waits, and says so.
func TestLimitThatNobodyKeeps(t *testing.T) {
	t.Parallel()
	if groups, err := command.OpenGroups(nil); err == nil {
		t.Skipf("control groups keep all limits here, in %s", groups.Dir())
	}
	s := servertest.Start(t, "agent.enabled", "false")
	servertest.Connect(t, s)
	s.Push("demo", "+a: {sh>: 'true', _limits: {cpu: 2, memory: 1GiB}}\n+b: {echo>: x}\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	s.Eventually("the reason", func() bool {
		out := newConsole(t).Run("why", attempt, "+main+a", "-e", s.URL).Stdout
		return strings.Contains(out, "no_agent: no live agent of queue `default` keeps the limit `cpu`; agent ") &&
			strings.Contains(out, " keeps only limits of memory, pids and disk")
	})
	status, text := s.Request("GET", "/api/attempts/"+attempt+"/why?task=%2Bmain%2Ba", "", "")
	if status != 200 || !strings.Contains(text, `"limits":["cpu"]`) {
		t.Errorf("why = %d %s, want the field limits", status, text)
	}
}
