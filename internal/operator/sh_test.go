package operator_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// scripting is a test case of an operator that runs a command.
type scripting struct {
	name, output, message string
	own, inherited        *param.Map
	files                 map[string]string
}

func (c *scripting) check(t *testing.T) operator.Outcome {
	t.Helper()
	f := newFixture(t, c.own)
	f.Inherited.Merge(c.inherited)
	for name, text := range c.files {
		f.File(name, text)
	}
	outcome, err := f.Run()
	shown := strings.ReplaceAll(message(err), f.Project, "PROJECT")
	shown = randomPart.ReplaceAllString(shown, "RANDOM")
	if shown != c.message {
		t.Errorf("message = %q, want %q\noutput: %s", shown, c.message, f.Output.String())
	}
	if c.message != "" {
		return outcome
	}
	if got := strings.ReplaceAll(f.Output.String(), f.Project, "PROJECT"); randomPart.ReplaceAllString(got, "RANDOM") != c.output {
		t.Errorf("output = %q, want %q", got, c.output)
	}
	return outcome
}

// randomPart is the end of the name of a run's folder.
var randomPart = regexp.MustCompile(`\b\d{6,}\b`)

// Operators 3.2; the cases sh-*.
func TestSh(t *testing.T) {
	t.Parallel()
	runner := ".digdag/tmp/digdag-sh-7-RANDOM/runner.sh"
	for _, c := range []scripting{
		{name: "output", own: param.Of("sh>", "echo out; echo err >&2; printf end"), output: "out\nerr\nend"},
		{name: "empty", own: param.Of("sh>", "")},
		{name: "boolean", own: param.Of("sh>", true)},
		{name: "no arguments, own path", own: param.Of("sh>", `echo $# "$0"`), output: "0 " + runner + "\n"},
		{name: "exit code", own: param.Of("sh>", "exit 7"), message: "Command failed with code 7 (runtime)"},
		{name: "last command decides", own: param.Of("sh>", "false; true")},
		{name: "killed", own: param.Of("sh>", "kill -9 $$"), message: "Command failed with code 137 (runtime)"},
		{name: "not found", own: param.Of("sh>", "no-such-command 2>/dev/null"), message: "Command failed with code 127 (runtime)"},
		{name: "strict shell", own: param.Of("sh>", "false; true", "shell", param.List{"sh", "-e"}), message: "Command failed with code 1 (runtime)"},
		{name: "inline", own: param.Of("sh>", "ignored", "shell", param.List{"sh", "-c", "echo inline $0"}), output: "inline " + runner + "\n"},
		{
			name: "shell of the section", own: param.Of("sh>", "echo x"),
			inherited: param.Of("sh", param.Of("shell", param.List{"/bin/sh", "-v"})), output: "echo xx\n",
		},
		{
			name: "own shell before section", own: param.Of("sh>", "echo x", "shell", param.List{"/bin/sh"}),
			inherited: param.Of("sh", param.Of("shell", param.List{"/bin/sh", "-v"})), output: "x\n",
		},
		{
			name: "text as shell", own: param.Of("sh>", "true", "shell", "/bin/sh -e"),
			message: `Expected array type for key 'shell' but got "/bin/sh -e" (string) (config)`,
		},
		{name: "null shell", own: param.Of("sh>", "true", "shell", nil), message: "Parameter 'shell' is required but null (config)"},
		{
			name: "empty shell", own: param.Of("sh>", "true", "shell", param.List{}),
			message: `java.io.IOException: Cannot run program "` + runner + `" (in directory "PROJECT"): error=13, Permission denied (runtime)`,
		},
		{
			name: "unknown shell", own: param.Of("sh>", "true", "shell", param.List{"no-such-shell"}),
			message: `java.io.IOException: Cannot run program "no-such-shell" (in directory "PROJECT"): error=2, No such file or directory (runtime)`,
		},
		{
			name: "map in shell", own: param.Of("sh>", "true", "shell", param.List{param.New()}),
			message: `Expected array type for key 'shell' but got [{}] (array) (config)`,
		},
		{name: "nothing", own: param.Of("sh>", nil), message: "Parameter '_command' is required but not set (config)"},
		{name: "object", own: param.Of("sh>", param.New()), message: "Expected string type for key '_command' but got {} (object) (config)"},
		{name: "section is no object", own: param.Of("sh>", "true"), inherited: param.Of("sh", "x"), message: "Parameter 'sh' must be an object (config)"},
		{name: "section is null", own: param.Of("sh>", "true"), inherited: param.Of("sh", nil), message: "Parameter 'sh' is required but null (config)"},
		{
			name: "text with anything in it", own: param.Of("sh>", `echo "$text" "[$empty]"`),
			inherited: param.Of("text", `it's "quoted"`, "empty", ""), output: "it's \"quoted\" []\n",
		},
		{
			name: "other values are JSON", own: param.Of("sh>", `echo "$number $float $big $flag $list $map"`),
			inherited: param.Of("number", 12, "float", 1.5, "big", 1e21, "flag", true,
				"list", param.List{int64(1), "two"}, "map", param.Of("k", param.Of("n", 1))),
			output: "12 1.5 1.0E21 true [1,\"two\"] {\"k\":{\"n\":1}}\n",
		},
		{name: "type and command", own: param.Of("sh>", `echo "$_type" "$_command"`), output: "sh echo \"$_type\" \"$_command\"\n"},
		{
			name: "no identifier", own: param.Of("sh>", "env | grep -c -e ^x-y -e ^sh -e ^1a || true"),
			inherited: param.Of("x-y", "hidden", "1a", 1, "+x", 1), output: "0\n",
		},
		{
			name: "keys of the section", own: param.Of("sh>", "echo $a $sh"),
			inherited: param.Of("sh", param.Of("a", 1)), output: "1 {\"a\":1}\n",
		},
		{name: "null parameter", own: param.Of("sh>", "true"), inherited: param.Of("nothing", nil), message: "Parameter 'nothing' is required but null (config)"},
		{
			name: "own variables win", own: param.Of("sh>", "echo $a $b", "_env", param.Of("a", "env")),
			inherited: param.Of("a", "param", "b", "param"), output: "env param\n",
		},
		{name: "number as own variable", own: param.Of("sh>", "echo $a", "_env", param.Of("a", 1.0)), output: "1.0\n"},
		{
			name: "inherited variables without own", own: param.Of("sh>", `echo "[$b]"`),
			inherited: param.Of("_env", param.Of("b", "exported")), output: "[]\n",
		},
		{
			name: "inherited variables with own", own: param.Of("sh>", `echo "[$b] [$c]"`, "_env", param.Of("c", "own")),
			inherited: param.Of("_env", param.Of("b", "exported", "c", "exported")), output: "[exported] [own]\n",
		},
		{name: "null as variables", own: param.Of("sh>", "true", "_env", nil), message: "Parameter '_env' is required but null (config)"},
		{name: "text as variables", own: param.Of("sh>", "true", "_env", "x"), message: "Parameter '_env' must be an object (config)"},
		{name: "null as own variable", own: param.Of("sh>", "true", "_env", param.Of("A", nil)), message: "Parameter 'A' is required but null (config)"},
		{
			name: "list as own variable", own: param.Of("sh>", "true", "_env", param.Of("A", param.List{})),
			message: "Expected string type for key 'A' but got [] (array) (config)",
		},
		{name: "bad name of a variable", own: param.Of("sh>", "true", "_env", param.Of("a-b", "x")), message: "Invalid _env key name: a-b (config)"},
		{
			name: "working directory", own: param.Of("sh>", `pwd; echo $0; cat note`, "_workdir", "sub/deep"),
			files:  map[string]string{"sub/deep/note": "note\n"},
			output: "PROJECT/sub/deep\n../../" + runner + "\nnote\n",
		},
		{
			name: "script of the project", own: param.Of("sh>", "sh bin/hello.sh one"),
			files: map[string]string{"bin/hello.sh": `echo "hello $1 from $0"`}, output: "hello one from bin/hello.sh\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			outcome := c.check(t)
			if !outcome.Result.Empty() || outcome.Again != nil {
				t.Errorf("outcome = %+v, want an empty success", outcome)
			}
		})
	}
}

// The folder of a run is removed in the end (operators 3.1), even if the command failed, was not
// found or was stopped. Only folders of failed py> and rb> stay.
func TestRunFolderIsRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		own  *param.Map
		want int
	}{
		{"success", param.Of("sh>", "true"), 0},
		{"failure", param.Of("sh>", "false"), 0},
		{"not started", param.Of("sh>", "x", "shell", param.List{"no-such-shell"}), 0},
		{"stopped", param.Of("sh>", "echo x; sleep 60"), 0},
		{"python", param.Of("_type", "py", "script", "open(__import__('sys').argv[2], 'w').write('{}')", "python", "python3"), 0},
		{"failed python", param.Of("py>", "nothing", "python", "python3"), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f := newFixture(t, c.own)
			if c.name == "stopped" {
				f.Request.OnWait = cancel
			}
			_, err := f.RunContext(ctx)
			if (err == nil) != (c.name == "success" || c.name == "python") {
				t.Errorf("error = %v", err)
			}
			entries, err := os.ReadDir(filepath.Join(f.Project, ".digdag", "tmp"))
			if err != nil || len(entries) != c.want {
				t.Errorf("left %v, %v, want %d folders", entries, err, c.want)
			}
		})
	}
}

// The error says that nothing can be written in the folder.
func TestRunFolderCannotBeMade(t *testing.T) {
	t.Parallel()
	f := newFixture(t, param.Of("sh>", "true")).File(".digdag", "a file")
	_, err := f.Run()
	if err == nil || !strings.HasPrefix(err.Error(), "make the folder of the command: ") {
		t.Errorf("error = %v, want one about the folder", err)
	}
}

// elsewhere is an executor whose commands finish at the third check.
type elsewhere struct {
	request *command.Request
	stopped []string // states of commands that were stopped
}

func (e *elsewhere) Run(_ context.Context, r *command.Request) (command.Status, error) {
	e.request = r
	return command.Status{IODir: r.IODir, State: param.Of("looks", 0, "io", r.IODir)}, nil
}

func (e *elsewhere) Poll(_ context.Context, _ *command.Request, state *param.Map) (command.Status, error) {
	looks, _ := state.Get("looks")
	dir, _ := state.Get("io")
	if looks == int64(1) {
		return command.Status{Finished: true, ExitCode: 3, IODir: dir.(string)}, nil
	}
	state = state.Clone()
	state.Set("looks", int64(1))
	return command.Status{IODir: dir.(string), State: state}, nil
}

func (e *elsewhere) Stop(_ context.Context, _ *command.Request, state *param.Map) error {
	e.stopped = append(e.stopped, param.JSON(state))
	return nil
}

// Operators 3.1: a command that runs elsewhere is checked every 10 seconds. It is
// started only once, but again by _retry (1.12).
func TestCommandElsewhere(t *testing.T) {
	t.Parallel()
	executor := &elsewhere{}
	f := newFixture(t, param.Of("sh>", "x", "_retry", 1))
	f.Request.Commands = executor
	for range 2 {
		outcome, err := f.Run()
		if err != nil || outcome.Again == nil || outcome.Again.Cause != nil || outcome.Again.After != 10*time.Second || !outcome.Again.Job {
			t.Fatalf("outcome = %+v, %v, want a poll after 10 s of a job that goes on", outcome, err)
		}
		f.State = outcome.Again.State
	}
	if got := param.JSON(f.State); !strings.HasPrefix(got, `{"commandStatus":{"looks":1,`) {
		t.Errorf("state = %s, want the command's", got)
	}
	outcome, err := f.Run()
	if err != nil || outcome.Again == nil || message(outcome.Again.Cause) != "Command failed with code 3 (runtime)" {
		t.Fatalf("outcome = %+v, %v, want a retry", outcome, err)
	}
	if got, want := param.JSON(outcome.Again.State), `{"retry_count":1}`; got != want {
		t.Errorf("state = %s, want %s", got, want)
	}
	if r := executor.request; r.WorkDir != "." || len(r.Args) != 2 || r.Args[1] != r.IODir+"/runner.sh" {
		t.Errorf("request = %+v", r)
	}
}

// Scripts that run side by side do not get into each other's way, and leave nothing behind.
func TestShParallel(t *testing.T) {
	t.Parallel()
	shared := newFixture(t, nil)
	var runs sync.WaitGroup
	for i := range 60 {
		runs.Go(func() {
			word := strings.Repeat("x", i)
			f := newFixtureIn(t, shared.Project, param.Of("sh>", "echo "+word+"; sleep 0.0"+strconv.Itoa(i%10)+"; echo $0 end"+word))
			f.Table, f.Request.Commands = shared.Table, shared.Request.Commands
			if _, err := f.Run(); err != nil {
				t.Error(err)
			}
			lines := strings.Split(f.Output.String(), "\n")
			if len(lines) != 3 || lines[0] != word || !strings.HasSuffix(lines[1], "/runner.sh end"+word) {
				t.Errorf("output = %q, want %q", f.Output.String(), word)
			}
		})
	}
	runs.Wait()
	left, err := os.ReadDir(filepath.Join(shared.Project, ".digdag", "tmp"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The folder of a command that has left processes behind stays, as they may need it.
func TestRunFolderOfBackground(t *testing.T) {
	t.Parallel()
	f := newFixture(t, param.Of("sh>", `(while [ ! -e go ]; do sleep 0.01; done; [ -e "$0" ] && echo > seen) >/dev/null 2>&1 &`))
	if _, err := f.Run(); err != nil {
		t.Fatal(err)
	}
	f.File("go", "")
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, err := os.Stat(filepath.Join(f.Project, "seen")); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the process that was left behind did not find its script")
		}
		<-time.After(10 * time.Millisecond)
	}
}

// Operators 1.14, with the quirk mended: sh>, py> and rb> stop what they have started elsewhere.
func TestCommandElsewhereIsCanceled(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sh", "py", "rb"} {
		executor := &elsewhere{}
		f := newFixture(t, param.Of(name+">", "a.b"))
		f.Request.Commands = executor
		cancel := func(state *param.Map) {
			f.Request.Params, f.Request.Local = param.NewReader(param.Of("_command", "a.b")), param.New()
			f.Request.State, f.Request.Project = state, f.Project
			if err := f.Table.Cancel(t.Context(), name, &f.Request); err != nil {
				t.Fatal(err)
			}
		}
		cancel(param.Of("retry_count", 1))
		if len(executor.stopped) != 0 {
			t.Errorf("%s: stopped %v, though nothing had been started", name, executor.stopped)
		}
		cancel(param.Of("commandStatus", param.Of("id", "c1")))
		if got, want := strings.Join(executor.stopped, " "), `{"id":"c1"}`; got != want {
			t.Errorf("%s: stopped %s, want %s", name, got, want)
		}
	}
}
