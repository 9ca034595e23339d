package cli

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/runview/viewtest"
	"github.com/trowel-project/trowel/internal/version"
)

// TestRun checks which texts go where, and the exit codes of commands (server 1.1). Usage texts are compared by
// their first line; ... stands for the rest.
func TestRun(t *testing.T) {
	t.Parallel()
	global := "Usage: trowel <command> [options...]\n..."
	commands := "error: available commands are: [init, run, check, schema, scheduler, server, agent, push, archive, upload, download, " +
		"project, workflow, start, retry, session, attempts, attempt, reschedule, backfill, log, kill, task, why, schedule, " +
		"disable, enable, delete, secrets, version, migrate, tokens, pause, unpause, history, pools, queues, search, failures, late, upcoming, agents, audit, " +
		"db, selfupdate, help, completion]\n"
	cases := []struct {
		args   string
		exit   int
		stdout string
		stderr string
	}{
		{"", 0, "", global},
		{"--help", 0, "", global},
		{"-help", 0, "", global},
		{"-c none.properties", 0, "", global},
		{"--nope", 0, "", global + "Unknown option: --nope\noptions stand after the command: trowel <command> [options...]\n"},
		{"-l debug init x", 0, "", global + "Unknown option: -l\noptions stand after the command: trowel <command> [options...]\n"},
		{"nope", 1, "", global + commands},
		{"x.dig", 1, "", global + commands + "did you mean \"trowel run x.dig\"?\n"},
		{"rnu", 1, "", global + commands + "did you mean \"trowel run\"?\n"},
		{"-h", 0, "", global},
		{"run -h", 0, "", "Usage: trowel run <workflow.dig> [+task] [options...]\n..."},
		{"scheduler -h", 0, "", "Usage: trowel sched [options...]\n..."},
		{"help sched", 0, "Usage: trowel scheduler [options...]\n...", ""},
		{"pusch demo", 1, "", global + commands + "did you mean \"trowel push\"?\n"},
		{"init x -l loud", 1, "", global + "error: Unknown log level 'loud'\nthe levels are error, warn, info, debug, trace\n"},
		{"--help init x", 0, "", global},
		{"init --help", 0, "", "Usage: trowel init <dir> [options...]\n..."},
		{"new -help -l loud", 0, "", "Usage: trowel init <dir> [options...]\n..."},
		{"init --nope --help", 1, "", "error: Unknown option: --nope\n`trowel init --help` shows the options\n"},
		{"init", 0, "", "Usage: trowel init <dir> [options...]\n...init takes 1 argument, not 0\n"},
		{"agent x", 1, "", "Usage: trowel agent --server <url> --token <token>\n...error: agent takes no arguments, not 1\n"},
		{"help a b", 1, "", "Usage: trowel help [command | operator | operators]\n...error: help takes 0 to 1 argument, not 2\n"},
		{"push --help", 0, "", "Usage: trowel push <project> -r <revision>\n..."},
		{"push -l loud", 1, "", global + "error: Unknown log level 'loud'\nthe levels are error, warn, info, debug, trace\n"},
		{"sessions --page-size x", 1, "", "error: \"--page-size\": couldn't convert \"x\" to an integer\n"},
		{"workflows --order up", 1, "", "error: Invalid parameter value for --order: up\n"}, // server 1.10.6
		{"--version", 0, version.Number + "\n", ""},
		{"run x.dig --version --nope", 0, version.Number + "\n", ""},
		{"selfupdate", 1, "", "error: trowel does not replace itself\n..."},
		{"help", 0, global, ""},
		{"help new", 0, "Usage: trowel init <dir> [options...]\n...", ""},
		{"help secret", 0, "Usage: trowel secrets [--local] [--project <project>] [--set <key>=<value>] [--delete key]\n...", ""},
		{"help complet", 1, "", "error: complet is no command of trowel, and no operator\ndid you mean \"completion\"?\n"},
		{"help for_eac", 1, "", "error: for_eac is no command of trowel, and no operator\ndid you mean \"for_each\"?\n"},
		{"completion tcsh", 1, "", "Usage: trowel completion (bash|zsh|fish)\n...error: there is no completion for 'tcsh'\nthe shells are bash, zsh, fish\n"},
	}
	for _, tc := range cases {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			got := newConsole(t).Run(strings.Fields(tc.args)...)
			if got.Exit != tc.exit {
				t.Errorf("trowel %s: exit = %d, want %d", tc.args, got.Exit, tc.exit)
			}
			if !clitest.Matches(tc.stdout, got.Stdout) {
				t.Errorf("trowel %s: stdout = %q, want %q", tc.args, got.Stdout, tc.stdout)
			}
			if !clitest.Matches(tc.stderr, got.Stderr) {
				t.Errorf("trowel %s: stderr = %q, want %q", tc.args, got.Stderr, tc.stderr)
			}
		})
	}
}

// TestRunConflict checks the options of run that exclude each other (server 1.9.2).
func TestRunConflict(t *testing.T) {
	t.Parallel()
	cases := []struct{ args, want string }{
		{"-s +a --goal +b", "-s, --start and -g, --goal don't work together"},
		{"-g +a -e +b", "-s, --start and -e, --end don't work together"},
		{"--all --start +b", "-a, --rerun and -s, --start don't work together"},
		{"-a -g +b", "-a, --rerun and -g, --goal don't work together"},
		{"-s +a -e +b", ""},
		{"-a -e +b", ""},
	}
	for _, tc := range cases {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			console := newConsole(t)
			env, _, _ := console.Env(append([]string{"run", "x.dig"}, strings.Fields(tc.args)...)...)
			_, err := cmd.Read(env, console.Commands)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("run x.dig %s: %q, want %q", tc.args, got, tc.want)
			}
		})
	}
}

// TestBanner checks when the banner is printed (server 1.1): not with --version,
// nor by commands whose output goes to a pipe or a start-up file.
func TestBanner(t *testing.T) {
	t.Parallel()
	cases := []struct {
		args string
		want bool
	}{
		{"", true},
		{"version -e ftp://x", true},
		{"nope", true},
		{"push demo --schedule-from x", true},
		{"init --nope", true},
		{"--version", false},
		{"help", false},
		{"completion bash", false},
	}
	for _, tc := range cases {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			env, _, stderr := newConsole(t).Env(strings.Fields(tc.args)...)
			Run(t.Context(), env)
			if got := strings.HasPrefix(stderr.String(), clitest.TestBanner); got != tc.want {
				t.Errorf("trowel %s: banner = %v, want %v; stderr = %q", tc.args, got, tc.want, stderr)
			}
		})
	}
}

// TestProgramName checks which name of the program usage and hints show.
func TestProgramName(t *testing.T) {
	t.Parallel()
	cases := []struct{ arg, want string }{
		{"/usr/bin/digdag", "digdag"}, {"digdag", "digdag"}, {"/x/trowel", "trowel"}, {"/tmp/cli.test", "trowel"},
	}
	for _, tc := range cases {
		t.Run(tc.arg, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			c.Program = tc.arg
			want := "Usage: " + tc.want + " <command> [options...]\n"
			if got := c.Run(); !strings.HasPrefix(got.Stderr, want) {
				t.Errorf("%s: stderr = %q, want %q first", tc.arg, got.Stderr, want)
			}
		})
	}
}

// TestLostOutput: a command whose output was lost fails.
func TestLostOutput(t *testing.T) {
	t.Parallel()
	env, _, stderr := newConsole(t).Env("help")
	env.Stdout = viewtest.FullDisk{}
	if exit := Run(t.Context(), env); exit != cmd.ExitFailure {
		t.Errorf("help on a full disk: exit = %d, want %d", exit, cmd.ExitFailure)
	}
	if want := "error: write standard output: no space left on device\n"; stderr.String() != want {
		t.Errorf("help on a full disk: stderr = %q, want %q", stderr, want)
	}
}
