package operator_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

const jobsPy = `
import digdag, digdag_env, os, sys

def put(a, b="fallback", c=None):
    digdag.env.store(put=[a, b, c])

def everything(a, **rest):
    digdag.env.store(got=[a, "a" in rest, rest["deep"]["k"], sorted(rest)[0]])

def stores():
    digdag.env.store(i=1, f=2.5, n=None, d={"a": {"b": [1]}}, last="first")
    digdag.env.store({"last": "second", "text": u"\u00fc\n$"})
    digdag.env.export({"e": 1}, g=2)
    digdag.env.set_state(s=1)
    digdag_env.store_params["direct"] = digdag_env.params["a"] + digdag.env.params["a"]

def subtasks():
    digdag.env.add_subtask(put, a=1)
    digdag.env.add_subtask(Thing.work, n=2)
    digdag.env.add_subtask({"echo>": "x"}, more=1)
    digdag.env.add_subtask(_type="echo", _command="y")
    digdag.env.subtask_config["_parallel"] = True

def bad_subtask():
    digdag.env.add_subtask({"echo>": set([1])})

def bad_store():
    digdag.env.store(x=set([1]))

def fails():
    raise ValueError("not good: 5")

def leaves():
    sys.exit(3)

def leaves_silently():
    sys.exit()

def prints():
    print(os.environ.get("A"), os.environ.get("a"), os.path.basename(os.getcwd()), sys.argv[1])

def crashes():
    os._exit(9)

class Thing:
    def __init__(self, base=5, step=1):
        self.total = base + step

    def work(self, n):
        digdag.env.store(total=self.total + n)

    def run(self):
        digdag.env.store(run=self.total)

    @classmethod
    def make(cls, n):
        digdag.env.store(cls=cls.__name__, n=n)
`

const deepPy = `
import digdag
def go():
    digdag.env.store(module=__name__)
class Task(object):
    def go(self):
        digdag.env.store(cls=type(self).__name__)
`

// python returns the command line of py>, as tests do not rely on a program named python.
func python(more ...any) *param.Map {
	return param.Merged(param.Of("py", param.Of("python", "python3")), param.Of(more...))
}

var pyFiles = map[string]string{
	"jobs.py": jobsPy, "pkg/__init__.py": "", "pkg/deep/__init__.py": "", "pkg/deep/work.py": deepPy,
	"needy.py": "import no_such_module_at_all\ndef go(): pass\n", "sub/inner.py": deepPy,
}

// Operators 3.3; the cases py-*.
func TestPy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scripting
		sub, export, store string
	}{
		{
			scripting: scripting{name: "arguments", own: param.Of("py>", "jobs.put", "c", param.New()), inherited: python("a", 1)},
			store:     `{"put":[1,"fallback",{}]}`,
		},
		{
			scripting: scripting{name: "all arguments", own: param.Of("py>", "jobs.everything"), inherited: python("a", 1, "deep", param.Of("k", "v"))},
			store:     `{"got":[1,false,"v","_command"]}`,
		},
		{
			scripting: scripting{name: "what is left", own: param.Of("py>", "jobs.stores"), inherited: python("a", 2)},
			export:    `{"e":1,"g":2}`,
			store:     `{"i":1,"f":2.5,"n":null,"d":{"a":{"b":[1]}},"last":"second","text":"ü\n$","direct":4}`,
		},
		{
			scripting: scripting{name: "subtasks", own: param.Of("py>", "jobs.subtasks"), inherited: python()},
			sub: `{"+subtask0":{"a":1,"py>":"jobs.put"},"+subtask1":{"n":2,"py>":"jobs.Thing.work"},` +
				`"+subtask2":{"echo>":"x","more":1},"+subtask3":{"_type":"echo","_command":"y"},"_parallel":true}`,
		},
		{
			scripting: scripting{name: "method", own: param.Of("py>", "jobs.Thing.work", "n", 5), inherited: python("base", 10)},
			store:     `{"total":16}`,
		},
		{scripting: scripting{name: "class", own: param.Of("py>", "jobs.Thing"), inherited: python()}, store: `{"run":6}`},
		{scripting: scripting{name: "class method", own: param.Of("py>", "jobs.Thing.make", "n", 1), inherited: python()}, store: `{"cls":"Thing","n":1}`},
		{scripting: scripting{name: "package", own: param.Of("py>", "pkg.deep.work.go"), inherited: python()}, store: `{"module":"pkg.deep.work"}`},
		{scripting: scripting{name: "class in package", own: param.Of("py>", "pkg.deep.work.Task.go"), inherited: python()}, store: `{"cls":"Task"}`},
		{
			scripting: scripting{name: "working directory", own: param.Of("py>", "inner.go", "_workdir", "sub"), inherited: python()},
			store:     `{"module":"inner"}`,
		},
		{
			scripting: scripting{
				name: "environment", own: param.Of("py>", "jobs.prints", "_env", param.Of("A", "<${secret:k}>"), "_workdir", "pkg/.."),
				inherited: python("a", "hidden"), output: "<<k>> None PROJECT jobs.prints\n",
			},
		},
		{
			scripting: scripting{
				name: "script", own: param.Of("_type", "py", "script", "import json, sys\nprint(len(sys.argv))\n"+
					"json.dump({'store_params': {'a': json.load(open(sys.argv[1]))['params']['a']}}, open(sys.argv[2], 'w'))"),
				inherited: python("a", 7), output: "3\n",
			},
			store: `{"a":7}`,
		},
		{
			scripting: scripting{
				name: "interpreter with options", own: param.Of("py>", "jobs.prints", "python", param.List{"python3", "-O"}),
				inherited: python(), output: "None None PROJECT jobs.prints\n",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.files = pyFiles
			c.output = strings.ReplaceAll(c.output, "PROJECT", "001") // the last part of a test's folder
			result := c.check(t).Result
			for _, part := range []struct {
				name, want string
				got        *param.Map
			}{{"subtasks", c.sub, result.Subtasks}, {"export", c.export, result.Export}, {"store", c.store, result.Store}} {
				if got := param.JSON(param.Merged(param.New(), part.got)); got != part.want && (part.want != "" || got != "{}") {
					t.Errorf("%s = %s, want %s", part.name, got, part.want)
				}
			}
		})
	}
}

// Operators 3.3; the case py-failures.
func TestPyFailures(t *testing.T) {
	t.Parallel()
	const failed = "Python command failed with code 1"
	fromPython := func(text string) string { return failed + "\nError messages from python: " + text }
	for _, c := range []struct {
		name, message string
		own           *param.Map
	}{
		{name: "exception", own: param.Of("py>", "jobs.fails"), message: fromPython("not good: 5 (ValueError)")},
		{
			name: "exit", own: param.Of("py>", "jobs.leaves"),
			message: fromPython("Failed to call python command with code:3 Possible cause: Invalid python module call, " +
				"duplicate module name with standard library (SystemExit)"),
		},
		{name: "exit without code", own: param.Of("py>", "jobs.leaves_silently"), message: failed + " (runtime)"},
		{name: "crash", own: param.Of("py>", "jobs.crashes"), message: "Python command failed with code 9 (runtime)"},
		{name: "no function", own: param.Of("py>", "jobs.nowhere"), message: fromPython("Module 'jobs' has no attribute 'nowhere' (AttributeError)")},
		{name: "no method", own: param.Of("py>", "jobs.Thing.nowhere"), message: fromPython("'Thing' object has no attribute 'nowhere' (AttributeError)")},
		{name: "no class", own: param.Of("py>", "jobs.Nothing.go"), message: fromPython("Module 'jobs' has no attribute 'go' (AttributeError)")},
		{name: "no module", own: param.Of("py>", "nowhere.go"), message: fromPython("Empty module name (ValueError)")},
		{name: "no dot", own: param.Of("py>", "go"), message: fromPython("Empty module name (ValueError)")},
		{
			name: "import in the module fails", own: param.Of("py>", "needy.go"),
			message: fromPython("No module named 'no_such_module_at_all' (ModuleNotFoundError)"),
		},
		{
			name: "missing argument", own: param.Of("py>", "jobs.put"),
			message: fromPython("Method 'put' requires parameter 'a' but not set (TypeError)"),
		},
		{
			name: "missing argument of a method", own: param.Of("py>", "jobs.Thing.work"),
			message: fromPython("Method 'Thing.work' requires parameter 'n' but not set (TypeError)"),
		},
		{
			name: "subtask that is no JSON", own: param.Of("py>", "jobs.bad_subtask"),
			message: fromPython("Parameters must be serializable using JSON: Object of type set is not JSON serializable (TypeError)"),
		},
		{
			name: "store that is no JSON", own: param.Of("py>", "jobs.bad_store"),
			message: fromPython("Object of type set is not JSON serializable (TypeError)"),
		},
		{
			name: "no output", own: param.Of("_type", "py", "script", "pass"),
			message: "output.json does not exist. Something unexpected error happened. Please check logs. (runtime)",
		},
		{
			name: "broken output", own: param.Of("_type", "py", "script", "import sys; open(sys.argv[2], 'w').write('{'); sys.exit(4)"),
			message: "Python command failed with code 4\n\tCan't parse output.json. The command failed unexpectedly. Please check logs. (runtime)",
		},
		{
			name: "output without error", own: param.Of("_type", "py", "script", "import sys; open(sys.argv[2], 'w').write('{}'); sys.exit(4)"),
			message: "Python command failed with code 4\nError messages from python (runtime)",
		},
		{
			name: "wrong output", own: param.Of("_type", "py", "script", "import sys; open(sys.argv[2], 'w').write('{\"store_params\": 1}')"),
			message: "Parameter 'store_params' must be an object (config)",
		},
		{name: "no script", own: param.Of("py>", nil), message: "Parameter 'script' is required but not set (config)"},
		{name: "null command", own: param.Of("_type", "py", "_command", nil), message: "Parameter '_command' is required but null (config)"},
		{name: "python is a number", own: param.Of("py>", "a.b", "python", 3), message: "Invalid python: 3 (config)"},
		{name: "python is a map", own: param.Of("py>", "a.b", "python", param.New()), message: "Invalid python:  (config)"},
		{name: "python is null", own: param.Of("py>", "a.b", "python", nil), message: "Invalid python: null (config)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.own)
			f.Inherited.Merge(python())
			for name, text := range pyFiles {
				f.File(name, text)
			}
			_, err := f.Run()
			got, trace, hasTrace := strings.Cut(message(err), "\n\tfrom ")
			if got != c.message {
				t.Errorf("message = %q, want %q\noutput: %s", got, c.message, f.Output.String())
			}
			if hasTrace && !strings.HasPrefix(trace, "Traceback (most recent call last):\n\n\tfrom   File ") {
				t.Errorf("trace = %q, want Python's, line by line", trace)
			}
			if fromScript := strings.HasPrefix(c.message, failed+"\nError messages from python: "); fromScript != hasTrace {
				t.Errorf("trace = %q, want one: %v", trace, fromScript)
			}
		})
	}
}
