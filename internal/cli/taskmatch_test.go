package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRunOfMissingTask: Digdag's error about a missing task is followed by the one that may have been meant, or by a list.
func TestRunOfMissingTask(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write("w.dig", "+load:\n  +fetch:\n    echo>: f\n  +sum:\n    echo>: s\n+mail:\n  echo>: m\n")
	c.Write("none.dig", "timezone: UTC\n")
	many := ""
	for name := range strings.SplitSeq("abcdefghijkl", "") {
		many += "+task_" + name + ":\n  echo>: x\n"
	}
	c.Write("many.dig", many)
	for _, tc := range []struct{ args, pattern, hint string }{
		{"w.dig +fecth", "+fecth", `did you mean "+fetch"?`},
		{"w.dig --start +sun", "+sun", `did you mean "+sum"?`},
		{"w.dig --goal +load+sumx", "+load+sumx", `did you mean "+load+sum"?`},
		{"w.dig --end +nothing", "+nothing", "the tasks are: +load, +load+fetch, +load+sum, +mail"},
		{"w.dig +load --start +mail", "+mail", "the tasks are: +load, +load+fetch, +load+sum"},
		{"none.dig +other", "+other", "the workflow has no tasks"},
		{
			"many.dig +other", "+other",
			"the tasks are: +task_a, +task_b, +task_c, +task_d, +task_e, +task_f, +task_g, +task_h, +task_i, +task_j and 2 more",
		},
	} {
		got := c.Run(append([]string{"run"}, strings.Fields(tc.args)...)...)
		want := "error: Task pattern '" + tc.pattern + "' doesn't match with any tasks. (no match)\n" + tc.hint + "\n"
		if got.Exit != 1 || got.Stderr != want {
			t.Errorf("run %s: exit %d, %q, want 1, %q", tc.args, got.Exit, got.Stderr, want)
		}
	}
}

// TestRunOfPathBesideProject: the error about a path from the current folder names the path from the project's folder.
func TestRunOfPathBesideProject(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write("p/w.dig", "+a:\n  echo>: a\n")
	c.Write("p/sub/x.txt", "")
	c.Write("out.dig", "+a:\n  echo>: a\n")
	c.Dir = filepath.Join(c.Dir, "p", "sub")
	for _, tc := range []struct{ args, fix string }{
		{"run ../w.dig --project ..", "fix: beside --project the path of a workflow counts from that folder: w.dig\n"},
		{"check ../w.dig --project ..", "fix: beside --project the path of a workflow counts from that folder: w.dig\n"},
		{"run ../../out.dig --project ..", ""},
	} {
		got := c.Run(strings.Fields(tc.args)...)
		first, rest, _ := strings.Cut(got.Stderr, "\n")
		if got.Exit != 1 || !strings.HasSuffix(first, "(illegal argument)") || rest != tc.fix {
			t.Errorf("%s: exit %d, %q, want 1, ...(illegal argument) and %q", tc.args, got.Exit, got.Stderr, tc.fix)
		}
	}
}
