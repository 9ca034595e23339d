package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// TestUsageOnTerminal checks that people on a terminal read the reason and not much more.
func TestUsageOnTerminal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args string
		exit int
		want string
	}{
		{"rnu", 1, "error: rnu is no command of trowel\ndid you mean \"trowel run\"?\n`trowel help` lists all commands\n"},
		{"nonsense x", 1, "error: nonsense is no command of trowel\n`trowel help` lists all commands\n"},
		{"x.dig", 1, "error: x.dig is no command of trowel\ndid you mean \"trowel run x.dig\"?\n`trowel help` lists all commands\n"},
		{"--nope run", 0, "Unknown option: --nope\noptions stand after the command: trowel <command> [options...]\n"},
		{"kill", 0, "Usage: trowel kill <attempt-id>\n  `trowel kill --help` shows the options.\nkill takes 1 argument, not 0\n"},
		{"start demo main", 1, "Usage: trowel start <project-name> <name>\n  `trowel start --help` shows the options.\nerror: --session option is required\n"},
		{
			"retry 2", 1, "Usage: trowel retry <attempt-id>\n  `trowel retry --help` shows the options.\n" +
				"error: --keep-revision, --latest-revision, or --revision <name> option is required. --all, --resume, or --resume-from <+name> option is required. \n" +
				"to run what did not succeed, with the newest revision: trowel retry 2 --latest-revision --resume\n" +
				"to run all tasks again: trowel retry 2 --latest-revision --all\n",
		},
		{
			"start demo main --session 2026-13-45", 1, "error: --session \"2026-13-45\": there is no month 13: months are 01 to 12\n" +
				"--session takes daily, hourly, now, \"yyyy-MM-dd\", \"yyyy-MM-dd HH:mm:ss\"\n",
		},
		{"scheduler --help", 0, "Usage: trowel scheduler [options...]\n..."},
		{"run -h", 0, "Usage: trowel run <workflow.dig> [+task] [options...]\n..."},
	} {
		t.Run(tc.args, func(t *testing.T) {
			t.Parallel()
			env, stdout, stderr := newConsole(t).Env(strings.Fields(tc.args)...)
			env.Terminals = cmd.Terminals{Stdin: true, Stdout: true, Stderr: true}
			if exit := Run(t.Context(), env); exit != tc.exit || stdout.Len() > 0 {
				t.Errorf("exit %d, standard output %q, want %d and nothing", exit, stdout, tc.exit)
			}
			_, text, _ := strings.Cut(stderr.String(), "\n") // the banner
			if !clitest.Matches(tc.want, text) {
				t.Errorf("standard error = %q, want %q", text, tc.want)
			}
		})
	}
}

// TestFormsFitTerminal: the forms of commands fit into a window of 80 columns and lose no words.
func TestFormsFitTerminal(t *testing.T) {
	t.Parallel()
	commands := table()
	for i := range commands {
		lines := cmd.FormLines("trowel", commands[i].Forms(), cmd.HelpWidth)
		for _, line := range lines {
			if len(line) > cmd.HelpWidth {
				t.Errorf("%s: %d columns: %s", commands[i].Name, len(line), line)
			}
		}
		want := strings.Fields("Usage: trowel " + strings.Join(commands[i].Forms(), " trowel "))
		if got := strings.Fields(strings.Join(lines, " ")); !slices.Equal(got, want) {
			t.Errorf("%s: forms = %q, want %q", commands[i].Name, got, want)
		}
	}
}
