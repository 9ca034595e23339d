package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/runview"
)

// People see the cause of a failure and what to do, not the programs that Trowel runs their code with.
func TestExplain(t *testing.T) {
	t.Parallel()
	const (
		runner = "\n\tfrom   File \"/p/.digdag/tmp/digdag-py-2-1/runner.py\", line 94, in find\n    module = load(path, name)\n             ^^^^\n"
		begin  = "\n\tfrom Traceback (most recent call last):\n"
		again  = "\n\tfrom \nDuring handling of the above exception, another exception occurred:\n\n"
		python = "Python command failed with code 1\nError messages from python: "
	)
	cases := []struct {
		name   string
		failed runview.FailedTask
		want   explained
	}{
		{
			"a module that is not there",
			runview.FailedTask{
				Message: python + "Empty module name (ValueError)" + begin + runner + "\n\tfrom ModuleNotFoundError: No module named 'no.mod'\n" + again + begin + runner +
					"\n\tfrom ValueError: Empty module name\n (runtime)",
				LastLines: []string{"printed", "Traceback (most recent call last):", "    module = load(path, name)", "", "ValueError: Empty module name"},
			},
			explained{
				"Python command failed with code 1\nNo module named 'no.mod' (ModuleNotFoundError)",
				[]string{"printed"},
				"no file no/mod.py or no/mod/ in the project",
			},
		},
		{
			"an error in the code of the project",
			runview.FailedTask{Message: python + "boom (KeyError)" + begin + runner + "\n\tfrom   File \"/p/m.py\", line 3, in f\n    raise KeyError('boom')\n\n\tfrom KeyError: 'boom'\n (runtime)"},
			explained{"Python command failed with code 1\nboom (KeyError)\n  File \"/p/m.py\", line 3, in f\n    raise KeyError('boom')", nil, ""},
		},
		{
			"a constant of Ruby",
			runview.FailedTask{Message: "Ruby command failed with code 1 (runtime)", LastLines: []string{
				"printed", ".digdag/tmp/digdag-rb-4-2/runner.rb:125:in `initialize': uninitialized constant Foo::Bar (NameError)", "",
				"      @class = path.empty? ? nil : 1", "\tfrom .digdag/tmp/digdag-rb-4-2/runner.rb:184:in `new'", "\tfrom /p/own.rb:1:in `x'",
			}},
			explained{
				"Ruby command failed with code 1 (runtime)\nuninitialized constant Foo::Bar (NameError)",
				[]string{"printed", "\tfrom /p/own.rb:1:in `x'"},
				"nothing has loaded Foo::Bar: add to the task require: foo/bar",
			},
		},
		{
			"a script that is not there",
			runview.FailedTask{Message: "Command failed with code 127 (runtime)", LastLines: []string{"a", ".digdag/tmp/digdag-sh-3-2/runner.sh: 1: ./nothere.sh: not found", "b"}},
			explained{
				"Command failed with code 127 (runtime)\n./nothere.sh: not found",
				[]string{"a", "b"},
				"no such file in the project, or the program of its #! line is missing",
			},
		},
		{
			"a command of bash that is not there",
			runview.FailedTask{Message: "Command failed with code 127 (runtime)", LastLines: []string{"/t/runner.sh: line 2: nosuch: command not found"}},
			explained{"Command failed with code 127 (runtime)\nnosuch: command not found", nil, "there is no such command: is it installed, and in PATH?"},
		},
		{
			"a script that may not be run",
			runview.FailedTask{Message: "Command failed with code 126 (runtime)", LastLines: []string{".digdag/tmp/x/runner.sh: 1: ./x.sh: Permission denied"}},
			explained{"Command failed with code 126 (runtime)\n./x.sh: Permission denied", nil, "chmod +x ./x.sh, or name the program that runs it: sh ./x.sh"},
		},
		{
			"an interpreter that is not there",
			runview.FailedTask{Message: `java.io.IOException: Cannot run program "python" (in directory "/p"): error=2, No such file or directory (runtime)`},
			explained{
				`java.io.IOException: Cannot run program "python" (in directory "/p"): error=2, No such file or directory (runtime)`, nil,
				"there is no program python in PATH: add to the task `python: python3`, or to _export `py: {python: python3}`",
			},
		},
		{
			"another one",
			runview.FailedTask{Message: `java.io.IOException: Cannot run program "zsh" (in directory "/p"): error=2, No such file or directory (runtime)`},
			explained{
				`java.io.IOException: Cannot run program "zsh" (in directory "/p"): error=2, No such file or directory (runtime)`, nil,
				"there is no program zsh in PATH: is it installed?",
			},
		},
		{
			"anything else",
			runview.FailedTask{Message: "Command failed with code 1 (runtime)", LastLines: []string{"x: not found"}, Fix: "do"},
			explained{"Command failed with code 1 (runtime)", []string{"x: not found"}, "do"},
		},
	}
	for _, tc := range cases {
		got := explain(&tc.failed)
		if len(got.lines) == 0 {
			got.lines = nil
		}
		if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(explained{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}
