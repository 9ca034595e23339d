package cli

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// TestBashCompletion asks a real bash what it proposes. A line is split as bash splits it: = is a word
// of its own. The last word is completed.
func TestBashCompletion(t *testing.T) {
	t.Parallel()
	bash := needShell(t, "bash")
	c := newConsole(t)
	for _, name := range []string{"etl.dig", "notes.txt", "with space.dig", "sub/x.dig"} {
		c.Write(name, "")
	}
	script := completionScript(t, c, "bash")
	cases := []struct {
		name  string
		words []string
		want  []string // all proposals, sorted
	}{
		{"commands", []string{"ru"}, []string{"run"}},
		{"aliases too", []string{"logs"}, []string{"logs"}},
		{"commands after an option", []string{"-c", "x", "sel"}, []string{"selfupdate"}},
		{"options before the command", []string{"--v"}, []string{"--version"}},
		{"options of a command", []string{"run", "--s"}, []string{"--save", "--session", "--session-time", "--show-params", "--start"}},
		{"options by an alias", []string{"r", "x.dig", "--no"}, []string{"--no-save"}},
		{"workflows and folders", []string{"run", ""}, []string{"etl.dig", "sub", "with space.dig"}},
		{"workflows in a folder", []string{"run", "sub/"}, []string{"sub/x.dig"}},
		{"values", []string{"run", "x.dig", "--session", ""}, []string{"daily", "hourly", "last", "schedule"}},
		{"values of a short spelling", []string{"run", "-t", "da"}, []string{"daily"}},
		{"values after =", []string{"run", "--log-level", "=", "de"}, []string{"debug"}},
		{"values right after =", []string{"run", "--log-level", "="}, []string{"debug", "error", "info", "trace", "warn"}},
		{"files", []string{"check", "-P", "n"}, []string{"notes.txt"}},
		{"folders", []string{"check", "--project", ""}, []string{"sub"}},
		{"a value that is anything", []string{"run", "--start", ""}, nil},
		{"names of shells", []string{"completion", ""}, []string{"bash", "fish", "zsh"}},
		{"names of commands", []string{"help", "comp"}, []string{"completion"}},
		{"an unknown command", []string{"nope", "n"}, []string{"notes.txt"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			words := append([]string{"trowel"}, tc.words...)
			ask := script + "\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _trowel\n" + `printf '%s\n' "${COMPREPLY[@]}"`
			cmd := exec.CommandContext(t.Context(), bash, append([]string{"--norc", "-c", ask, "bash"}, words...)...)
			cmd.Dir = c.Dir
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("bash: %v", err)
			}
			if diff := cmp.Diff(tc.want, proposals(string(out))); diff != "" {
				t.Errorf("completing %q (-want +got):\n%s", words, diff)
			}
		})
	}
}

// TestFishCompletion asks a real fish.
func TestFishCompletion(t *testing.T) {
	t.Parallel()
	fish := needShell(t, "fish")
	c := newConsole(t)
	c.Write("etl.dig", "")
	c.Write("notes.txt", "")
	script := completionScript(t, c, "fish")
	cases := []struct {
		line string
		want []string
	}{
		{"trowel ru", []string{"run"}},
		{"trowel run --no", []string{"--no-save"}},
		{"trowel run --session d", []string{"daily"}},
		{"trowel run --log-level=de", []string{"--log-level=debug"}},
		{"trowel r et", []string{"etl.dig"}},
		{"trowel check -P no", []string{"notes.txt"}},
		{"trowel completion f", []string{"fish"}},
		{"trowel help compl", []string{"completion"}},
	}
	for _, tc := range cases {
		t.Run(tc.line, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), fish, "--no-config", "-c", script+"\ncomplete -C "+"'"+tc.line+"'")
			cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), "HOME="+c.Home)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("fish: %v", err)
			}
			var got []string
			for _, line := range proposals(string(out)) {
				word, _, _ := strings.Cut(line, "\t")
				got = append(got, word)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("completing %q (-want +got):\n%s", tc.line, diff)
			}
		})
	}
}

// TestZshCompletion drives a real zsh in a pseudo terminal of its own, which zsh brings.
func TestZshCompletion(t *testing.T) {
	t.Parallel()
	zsh := needShell(t, "zsh")
	c := newConsole(t)
	c.Write("etl.dig", "")
	c.Write("notes.txt", "")
	c.Write("trowel.zsh", completionScript(t, c, "zsh"))
	cases := []struct{ line, want string }{
		{"trowel compl", "trowel completion "},
		{"trowel run --no", "trowel run --no-save "},
		{"trowel run --session d", "trowel run --session daily "},
		{"trowel r e", "trowel r etl.dig "},
		{"trowel check -P n", "trowel check -P notes.txt "},
		{"trowel completion f", "trowel completion fish "},
		{"trowel help selfu", "trowel help selfupdate "},
	}
	args := []string{"-f", "-c", zshDriver, "zsh"}
	for _, tc := range cases {
		args = append(args, tc.line)
	}
	cmd := exec.CommandContext(t.Context(), zsh, args...)
	cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), "HOME="+c.Home, "TERM=dumb")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("zsh: %v\n%s", err, out)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) != len(cases)+1 {
		t.Fatalf("zsh wrote %q, want a line for each of %d cases", out, len(cases))
	}
	for i, tc := range cases {
		if lines[i] != tc.want {
			t.Errorf("completing %q: line = %q, want %q", tc.line, lines[i], tc.want)
		}
	}
}

// zshDriver types each of its arguments and a tab into one interactive zsh, and prints the
// resulting lines.
const zshDriver = `
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell 'PS1= RPS1= ; stty -echo; autoload -Uz compinit && compinit -u -D; source ./trowel.zsh; setopt no_beep'
zpty -w shell 'show() { print -r -- "<<$BUFFER>>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^X" show; print ready""now'
zpty -r shell out '*readynow*'
for line in "$@"; do
    zpty -w -n shell "$line"$'\t\x18'
    zpty -r shell out '*<<*>>*'
    out=${out##*<<}
    print -r -- "${out%%>>*}"
done
zpty -d shell
`

// needShell returns the path of a shell. Without it the test is skipped.
func needShell(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not on this machine", name)
	}
	return path
}

// completionScript returns the script for a shell. Nothing else may be printed.
func completionScript(t *testing.T, c *clitest.Console, shell string) string {
	t.Helper()
	got := c.Run("completion", shell)
	if got.Exit != cmd.ExitSuccess || got.Stderr != "" {
		t.Fatalf("completion %s: exit = %d, stderr = %q, want 0 and nothing", shell, got.Exit, got.Stderr)
	}
	return got.Stdout
}

// proposals returns the lines of a shell's answer, sorted.
func proposals(out string) []string {
	lines := slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return line == "" })
	if len(lines) == 0 {
		return nil
	}
	slices.Sort(lines)
	return lines
}
