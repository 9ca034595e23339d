package operator_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

// Operators 2.1, language L57, L58, O14, O15; the cases call-*.
func TestCall(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"child.dig":            "timezone: Asia/Tokyo\n_retry: 2\n+b: {echo>: b}\n_export: {a: 1}\n+a: {echo>: a}\n",
		"sub/child.dig":        "+x: {echo>: \"${x}\"}\n",
		"sub/child.yml.dig":    "+x: {echo>: y}\n",
		"sub/own.dig":          "_export: {_workdir: c}\n",
		"sub/syntax.dig":       "a: [\n",
		"sub/list.dig":         "- a\n",
		"sub/zone.dig":         "timezone: Nope/Zone\n+x: {echo>: x}\n",
		"sub/null.dig":         "+x:\n",
		"sub/unknown.dig":      "_export: {a: 1}\necho>: hello\n",
		"sub/include.dig":      "+x:\n  !include : nowhere.yml\n",
		"sub/folder.dig/x.dig": "+x: {echo>: x}\n",
		"sub/.dig":             "+x: {echo>: unnamed}\n",
	}
	const end = "\n in 'string', line 2, column 1:\n    \n    ^\n"
	for _, c := range []struct {
		name, workdir, sub, message string
		command                     any
	}{
		{
			name: "root", command: "child",
			sub: `{"_export":{"a":1},"_retry":2,"+b":{"echo>":"b"},"+a":{"echo>":"a"}}`,
		},
		{name: "folder", command: "sub/child.dig", sub: `{"_export":{"_workdir":"sub"},"+x":{"echo>":"${x}"}}`},
		{name: "another suffix", command: "sub/child.yml", sub: `{"_export":{"_workdir":"sub"},"+x":{"echo>":"y"}}`},
		{name: "relative", command: "child", workdir: "sub", sub: `{"_export":{"_workdir":"sub"},"+x":{"echo>":"${x}"}}`},
		{
			name: "upwards", command: "../child", workdir: "sub",
			sub: `{"_export":{"a":1},"_retry":2,"+b":{"echo>":"b"},"+a":{"echo>":"a"}}`,
		},
		{name: "own working directory", command: "sub/own", sub: `{"_export":{"_workdir":"sub/c"}}`},
		{name: "no name", command: "", workdir: "sub", sub: `{"_export":{"_workdir":"sub"},"+x":{"echo>":"unnamed"}}`},
		{name: "missing", command: "nowhere", message: "File not found: PROJECT/nowhere.dig (config)"},
		{name: "missing include", command: "sub/include", message: "File not found: PROJECT/sub/nowhere.yml (config)"},
		{name: "number", command: 5, message: "File not found: PROJECT/5.dig (config)"},
		{name: "missing without a name", command: "", message: "File not found: PROJECT/.dig (config)"},
		{name: "a folder", command: "sub/folder", message: "Failed to read file: sub/folder.dig: PROJECT/sub/folder.dig: is a directory (config)"},
		{name: "outside", command: "../x/main.dig", message: "File name must not be outside of project path (PROJECT): ../x/main.dig (illegal argument)"},
		{name: "null", command: nil, message: "Parameter '_command' is required but not set (config)"},
		{name: "unknown key", command: "sub/unknown", message: "Workflow 'sub/unknown' includes unknown keys: [echo>] (config)"},
		{name: "null task", command: "sub/null", message: "Parameter '+x' is required but null (config)"},
		{name: "list", command: "sub/list", message: `Expected object to load Config but got ["a"] (runtime json mapping)`},
		{
			name: "time zone", command: "sub/zone",
			message: "Expected [reference type, class com.google.common.base.Optional<java.time.ZoneId><[simple type, class java.time.ZoneId]>]" +
				` for key 'timezone' but got "Nope/Zone" (string) (config)`,
		},
		{
			name: "syntax", command: "sub/syntax",
			message: "while parsing a flow node" + end + "expected the node content, but found '<stream end>'" + end + " (parser)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, param.Of("call>", c.command))
			if c.workdir != "" {
				f.With("_workdir", c.workdir)
			}
			for name, text := range files {
				f.File(name, text)
			}
			outcome, err := f.Run()
			if got := strings.ReplaceAll(message(err), f.Project, "PROJECT"); got != c.message {
				t.Fatalf("message = %q, want %q", got, c.message)
			}
			if c.message == "" {
				if got := param.JSON(outcome.Result.Subtasks); got != c.sub {
					t.Errorf("subtasks = %s, want %s", got, c.sub)
				}
			}
		})
	}
}

// Operators 2.1: _retry repeats the loading, too.
func TestCallRetry(t *testing.T) {
	t.Parallel()
	outcome, err := newFixture(t, param.Of("call>", "nowhere", "_retry", 1)).Run()
	if err != nil || outcome.Again == nil || !strings.HasPrefix(message(outcome.Again.Cause), "File not found: ") {
		t.Errorf("outcome = %+v, %v, want a retry", outcome, err)
	}
}
