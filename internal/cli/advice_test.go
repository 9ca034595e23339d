package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// The error about a missing secret says what to type. On a server it is in the log of the task and in the answer of why.
// The message that workflows see is Digdag's.
func TestMissingSecretOnServer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "digdag.secret-encryption-key", "MDEyMzQ1Njc4OTAxMjM0NQ==")
	s.Push("etl", "+a:\n  sh>: echo $A\n  _env: {A: '${secret:db.nope}'}\n  _error: {echo>: 'got ${error.message}.'}\n")
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	s.Wait(attempt)
	const fix = "trowel secrets --project etl --set db.nope"
	log := newConsole(t).Run("log", attempt, "-e", s.URL).Stdout
	if !strings.Contains(log, "fix: "+fix+"\n") || !strings.Contains(log, "got Secret not found for key: 'db.nope' (secret not found).\n") {
		t.Errorf("log lacks the fix or Digdag's message:\n%s", log)
	}
	if why := newConsole(t).Run("why", attempt, "-e", s.URL).Stdout; !strings.Contains(why, fix+" -e "+s.URL+"\n") {
		t.Errorf("why lacks the fix:\n%s", why)
	}
}

// In a local run the summary says what to type.
func TestMissingSecretInRun(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write("m.dig", "+a:\n  sh>: echo $A\n  _env: {A: '${secret:nope}'}\n")
	if out := c.Run("run", "m.dig"); !strings.Contains(out.Stderr, "    fix: trowel secrets --local --set nope\n") || strings.Contains(out.Stdout, "fix:") {
		t.Errorf("run: %s%s", out.Stdout, out.Stderr)
	}
	if out := c.Run("run", "m.dig", "--json"); !strings.Contains(out.Stdout, `"fix":"trowel secrets --local --set nope"`) {
		t.Errorf("run --json: %s", out.Stdout)
	}
}

// The error of a task that was refused has a place, and says how to go on.
func TestMistakesInRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, task, place, fix string }{
		{"length of time", "wait>: 10 secs", "2:3", "'wait>' must be a length of time, but is \"10 secs\"; write days, hours, minutes and seconds, such as `1h 30m` or `10s`"},
		{"length of time evaluated", "wait>: ${'soon'}", "2:3", "write days, hours, minutes and seconds, such as `1h 30m` or `10s`"},
		{"option", "sh>: ls\n  shell: bash", "3:3", "'shell' must be a list, but is \"bash\"; write a list: `[a, b]`, or each item in a line of its own that begins with `- `"},
		{"no list", "for_each>:\n    x: a,b\n  _do: {echo>: x}", "2:3", "'for_each>.x' must be a list, but is \"a,b\"; write a list: `[a, b]`"},
		{"number evaluated", "loop>: ${'abc'}\n  _do: {echo>: x}", "2:3", ""},
		{"said by the message", "for_range>: {from: 1, to: 9}\n  _do: {echo>: x}", "2:3", ""},
		{"body", "loop>: 2\n  _do: [x]", "3:3", ""},
		{"function", "echo>: a ${moment().fromat()}", "2:12", "did you mean format?"},
		{"built-in", "echo>: ${momnt()}", "2:12", "did you mean moment?"},
		{"syntax", "echo>: hi ${if}", "2:13", ""},
		{"shell", "sh>: echo ${FOO:-bar}", "2:13", "put the script into a file: ${...} is an expression, which the shell never sees"},
		{"variable of the shell", "sh>: echo ${HOME}", "2:15", "no parameter has the name HOME; if it is a variable of the shell, write $HOME"},
		{"property", "echo>: ${task_name.a.b}", "2:10", "look at what stands before the dot: it is not there, or has another name"},
		{"dash", "my-table: x\n  echo>: ${my-table}", "3:12", "the name my-table is read as a subtraction: write it with _ in place of -"},
		{"letter of another word", "echo>: ${e} ${session_date}", "2:12", "no parameter has the name e: write it below _export, or give it with -p e=VALUE"},
		{"in the second expression", "echo>: b ${session_date} ${(b)}", "2:31", "no parameter has the name b: write it below _export, or give it with -p b=VALUE"},
		{"in a later line", "sh>: |\n    echo one\n    echo ${session_date + o}", "4:27", "no parameter has the name o: write it below _export, or give it with -p o=VALUE"},
		{"of Airflow", "echo>: ${ds}", "2:12", "write session_date"},
		{"of a schedule", "echo>: ${last_session_tme}", "2:12", "did you mean last_session_time? It is there in a workflow with a schedule"},
		{"interpreter", "py>: a.b\n  python: no-such-python", "1:1", "there is no program no-such-python in PATH: is it installed?"},
		{"of a plugin", "snowflake>: q.sql", "2:3", "this is an operator of a plugin of Digdag, which Trowel does not have: call the program or API that it stands for with sh>, py> or http>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			console := newConsole(t)
			console.Write("m.dig", "+a:\n  "+c.task+"\n")
			got := console.Run("run", "m.dig").Stderr
			want := "    at m.dig:" + c.place + "\n"
			if c.fix != "" {
				want += "    fix: " + c.fix + "\n"
			}
			if !strings.Contains(got, want) || c.fix == "" && strings.Contains(got, "fix:") {
				t.Errorf("run of %q lacks\n%s:\n%s", c.task, want, got)
			}
		})
	}
}

// Keys that Amazon refuses are said to be looked at, on a server and in a run.
func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(store.Close)
	const fix = "fix: are the secrets aws.access_key_id and aws.secret_access_key right, or those below aws.s3 and aws.emr that come first? "
	workflow := "+a:\n  s3_wait>: bucket/key\n  endpoint: " + store.URL + "\n  path_style_access: true\n"
	c := newConsole(t)
	c.Write("m.dig", workflow)
	c.Run("secrets", "--local", "--set", "aws.access_key_id=id", "--set", "aws.secret_access_key=very-secret")
	if out := c.Run("run", "m.dig"); !strings.Contains(out.Stderr, fix) || strings.Contains(out.Stdout+out.Stderr, "very-secret") {
		t.Errorf("run: %s%s", out.Stdout, out.Stderr)
	}
	s := servertest.Start(t, "digdag.secret-encryption-key", "MDEyMzQ1Njc4OTAxMjM0NQ==")
	s.Push("etl", workflow)
	for _, key := range []string{"aws.access_key_id", "aws.secret_access_key"} {
		s.Request("PUT", "/api/projects/1/secrets/"+key, "application/json", `{"value":"very-secret"}`)
	}
	attempt := s.StartAttempt("1", "2024-01-01T00:00:00Z")
	s.Wait(attempt)
	if log := newConsole(t).Run("log", attempt, "-e", s.URL).Stdout; !strings.Contains(log, fix) || strings.Contains(log, "very-secret") {
		t.Errorf("log: %s", log)
	}
}
