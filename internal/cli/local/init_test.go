package local

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/clitest"
)

// TestInit checks which files init makes, and how it lists them (server 1.9.1).
func TestInit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, args string
		files      []string
		stdout     string
	}{
		{
			"echo is the type", "init demo",
			[]string{"demo/.gitignore", "demo/demo.dig"},
			"  Creating demo/demo.dig\n  Creating demo/.gitignore\n" +
				"Done. Type `cd demo` and then `trowel run demo.dig` to run the workflow. Enjoy!\n",
		},
		{
			"files of a type come first", "new -t sh a/b",
			[]string{"a/b/.gitignore", "a/b/b.dig", "a/b/scripts/myscript.sh"},
			"  Creating a/b/scripts/myscript.sh\n  Creating a/b/b.dig\n  Creating a/b/.gitignore\n" +
				"Done. Type `cd a/b` and then `trowel run b.dig` to run the workflow. Enjoy!\n",
		},
		{
			"this folder", "init .",
			[]string{".gitignore", "work.dig"},
			"  Creating ./work.dig\n  Creating ./.gitignore\nDone. Type `trowel run work.dig` to run the workflow. Enjoy!\n",
		},
		{
			"this folder by another way", "init x/../",
			[]string{".gitignore", "work.dig"},
			"  Creating ./work.dig\n  Creating ./.gitignore\nDone. Type `trowel run work.dig` to run the workflow. Enjoy!\n",
		},
		{
			"this folder by its name", "init ../work",
			[]string{".gitignore", "work.dig"},
			"  Creating ../work/work.dig\n  Creating ../work/.gitignore\nDone. Type `cd ../work` and then `trowel run work.dig` to run the workflow. Enjoy!\n",
		},
		{
			"a slash at the end", "init demo//",
			[]string{"demo/.gitignore", "demo/demo.dig"},
			"  Creating demo/demo.dig\n  Creating demo/.gitignore\n" +
				"Done. Type `cd demo` and then `trowel run demo.dig` to run the workflow. Enjoy!\n",
		},
		{
			"Treasure Data", "init --type td x",
			[]string{"x/.gitignore", "x/queries/query.sql", "x/x.dig"},
			"  Creating x/queries/query.sql\n  Creating x/x.dig\n  Creating x/.gitignore\n" +
				"Done. Set up you Treasure Data API key and type `cd x` and then `trowel push x` to push the workflow to Treasure Data. Enjoy!\n",
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" {
				t.Skip("the texts above have slashes")
			}
			c := newConsole(t)
			got := c.Run(strings.Fields(tc.args)...)
			if diff := cmp.Diff(clitest.Outcome{Exit: 0, Stdout: tc.stdout, Stderr: ""}, got, cmp.AllowUnexported(clitest.Outcome{})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.args, diff)
			}
			if diff := cmp.Diff(tc.files, clitest.FilesBelow(t, c.Dir)); diff != "" {
				t.Errorf("%s: files (-want +got):\n%s", tc.args, diff)
			}
		})
	}
}

// TestInitTypes: all types make the files of server 1.9.1, whose table this is.
func TestInitTypes(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"echo":       nil,
		"sh":         {"scripts/myscript.sh"},
		"ruby":       {"scripts/myclass.rb"},
		"python":     {"scripts/__init__.py", "scripts/myclass.py"},
		"td":         {"queries/query.sql"},
		"postgresql": {"queries/create_src_table.sql", "queries/insert_data_to_src_table.sql", "queries/summarize_src_table.sql"},
	}
	for name, files := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			if got := c.Run("init", "--type="+name, "demo"); got.Exit != 0 {
				t.Fatalf("init --type=%s: exit = %d, stderr = %q", name, got.Exit, got.Stderr)
			}
			want := append([]string{".gitignore", "demo.dig"}, files...)
			if diff := cmp.Diff(want, clitest.FilesBelow(t, filepath.Join(c.Dir, "demo"))); diff != "" {
				t.Errorf("init --type=%s (-want +got):\n%s", name, diff)
			}
			if text := c.Read("demo/demo.dig"); !strings.Contains(text, "timezone: UTC\n") {
				t.Errorf("init --type=%s: the workflow has no time zone:\n%s", name, text)
			}
		})
	}
	if len(cases) != len(projectTypes) {
		t.Errorf("projectTypes has %d types, want %d", len(projectTypes), len(cases))
	}
}

// TestInitKeeps: an existing workflow stops init, and a .gitignore stays. Files of the type are
// replaced, and scripts become executable.
func TestInitKeeps(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write("p/.gitignore", "mine\n")
	c.Write("p/scripts/myscript.sh", "old\n")
	if got := c.Run("init", "-t", "sh", "p"); strings.Contains(got.Stdout, ".gitignore") || got.Exit != 0 {
		t.Errorf("init p: exit = %d, stdout = %q, want 0 and no word of .gitignore", got.Exit, got.Stdout)
	}
	if text := c.Read("p/.gitignore"); text != "mine\n" {
		t.Errorf(".gitignore = %q, want what it was", text)
	}
	if text := c.Read("p/scripts/myscript.sh"); text == "old\n" {
		t.Error("scripts/myscript.sh was not replaced")
	}
	info, err := os.Stat(filepath.Join(c.Dir, "p/scripts/myscript.sh"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("scripts/myscript.sh: mode = %v, %v, want 0755", info.Mode(), err)
	}
	c.Write("p/p.dig", "+mine:\n")
	again := c.Run("init", "-t", "python", "p")
	if want := "File " + filepath.Join("p", "p.dig") + " already exists.\n"; again.Stdout != want || again.Exit != 0 {
		t.Errorf("init p again: exit = %d, stdout = %q, want 0 and %q", again.Exit, again.Stdout, want)
	}
	if text := c.Read("p/p.dig"); text != "+mine:\n" {
		t.Errorf("p.dig = %q, want what it was", text)
	}
}

func TestInitComplaints(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, args, want string }{
		{"an unknown type", "init -t java x", "error: --type has an invalid value\nthe types are echo, sh, ruby, python, td, postgresql\n"},
		// The names of server 4.5.
		{"a digit first", "init 1st", "error: Validating workflow failed\nname must not start with a numeric digit (0-9): \"1st\" (model validation)\n"},
		{"a symbol first", "init +x", "name must not include special symbols (+ ^ @ / \\ / : * ? \" < > |): \"+x\" (model validation)\n"},
		{"a workflow's file", "init x.dig", "name must not end with .dig: \"x.dig\" (model validation)\n"},
		{"too long", "init " + strings.Repeat("x", 256), "name must not be longer than 255 characters: "},
		{"a file in the way", "init file", "error: make folder file: not a directory\n"},
		{"a file in the way of the folder", "init file/x", "error: make folder file/x: not a directory\n"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t)
			c.Write("file", "")
			got := c.Run(strings.Fields(tc.args)...)
			if got.Exit != 1 || !strings.Contains(got.Stderr, tc.want) {
				t.Errorf("%s: exit = %d, stderr = %q, want 1 and %q", tc.args, got.Exit, got.Stderr, tc.want)
			}
			if files := clitest.FilesBelow(t, c.Dir); !slices.Equal(files, []string{"file"}) {
				t.Errorf("%s: files = %q, want none but the one that was there", tc.args, files)
			}
		})
	}
}
