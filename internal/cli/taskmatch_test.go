package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRunOfMissingTask: after Digdag's text of a task that there is not stands the one that may have been meant, or those there are.
func TestRunOfMissingTask(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.write("w.dig", "+load:\n  +fetch:\n    echo>: f\n  +sum:\n    echo>: s\n+mail:\n  echo>: m\n")
	c.write("none.dig", "timezone: UTC\n")
	many := ""
	for name := range strings.SplitSeq("abcdefghijkl", "") {
		many += "+task_" + name + ":\n  echo>: x\n"
	}
	c.write("many.dig", many)
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
		got := c.run(append([]string{"run"}, strings.Fields(tc.args)...)...)
		want := "error: Task pattern '" + tc.pattern + "' doesn't match with any tasks. (no match)\n" + tc.hint + "\n"
		if got.exit != 1 || got.stderr != want {
			t.Errorf("run %s: exit %d, %q, want 1, %q", tc.args, got.exit, got.stderr, want)
		}
	}
}

// TestRunOfPathBesideProject: who gives the path from the current folder is told the one from the project's.
func TestRunOfPathBesideProject(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.write("p/w.dig", "+a:\n  echo>: a\n")
	c.write("p/sub/x.txt", "")
	c.write("out.dig", "+a:\n  echo>: a\n")
	c.dir = filepath.Join(c.dir, "p", "sub")
	for _, tc := range []struct{ args, fix string }{
		{"run ../w.dig --project ..", "fix: beside --project the path of a workflow counts from that folder: w.dig\n"},
		{"check ../w.dig --project ..", "fix: beside --project the path of a workflow counts from that folder: w.dig\n"},
		{"run ../../out.dig --project ..", ""},
	} {
		got := c.run(strings.Fields(tc.args)...)
		first, rest, _ := strings.Cut(got.stderr, "\n")
		if got.exit != 1 || !strings.HasSuffix(first, "(illegal argument)") || rest != tc.fix {
			t.Errorf("%s: exit %d, %q, want 1, ...(illegal argument) and %q", tc.args, got.exit, got.stderr, tc.fix)
		}
	}
}
