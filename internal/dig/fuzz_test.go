package dig_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// seeds are texts of many kinds for the fuzz targets.
var seeds = []string{
	"+a:\n  echo>: hi\n", "timezone: Asia/Tokyo\nschedule: {daily>: 07:00:00}\n+a: {}\n", "!include : 'x.dig'\n+b: {sh>: ls}\n",
	"_export: &x {a: [1, .5, ~], <<: {b: c}}\n+g:\n  _parallel: {limit: 2}\n  +a: {loop>: 3, _do: {<<: *x}}\n  +b: {_after: [+a], py>: m.f}\n",
	"a: |\n  x\nb: >-\n  y\n", "? [p]\n: !!set {q}\n", "%YAML 1.1\n---\n\"\\u00e9\": 'it''s'\n...\n", "+a: [{_retry: 2}, {_error: {+x: {fail>: y}}}]",
}

// FuzzParse proves that reading any file ends, and that a refusal has a message and a place within the
// file.
func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := mapFS(map[string]string{"main.dig": text, "x.dig": "+inc: {}\n"})
		_, err := dig.LoadFS(files, "/project")
		findings := dig.CheckFS(files, "/project", catalog())
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, "\u0085") +
			strings.Count(text, "\u2028") + strings.Count(text, "\u2029") + 1
		refused := false
		for _, finding := range findings {
			refused = refused || finding.Severity == dig.SeverityError
			if finding.Message == "" || finding.Line < 1 || finding.Line > lines || finding.Column < 1 {
				t.Errorf("finding without a message or a place: %+v", finding)
			}
		}
		if err == nil {
			return
		}
		var known *dig.Error
		if !errors.As(err, &known) || known.Message == "" || known.Kind == "" {
			t.Errorf("LoadFS: %v, want an *Error with a message and a kind", err)
		}
		if !refused {
			t.Errorf("LoadFS refused with %q, but Check found no error", err)
		}
	})
}

// FuzzCompile proves that any body compiles or is refused. Upstreams are earlier siblings, except that a later
// task may follow a disabled one. Full names begin with those of the parents.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`{"+a":{"echo>":"a"},"+b":{"_background":true,"sh>":"b"},"+c":{}}`,
		`{"_parallel":{"limit":2},"+a":{},"+b":{"_after":["+a"]},"+c":[{"x>":1},{"_export":{"y":1}}]}`,
		`{"_retry":{"limit":1},"_error":{"+x":{"fail>":1}},"+g":{"_disable":true,"+h":{"bad":1}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		body, err := param.ParseMap(text)
		if err != nil {
			return
		}
		tasks, err := dig.Compile("", "+w", body)
		if err != nil {
			var known *dig.Error
			if !errors.As(err, &known) || known.Message == "" {
				t.Errorf("Compile: %v, want an *Error with a message", err)
			}
			return
		}
		for i, task := range tasks {
			if i == 0 != (task.Parent == -1) || task.Parent >= i {
				t.Fatalf("task %d %s: parent = %d", i, task.FullName, task.Parent)
			}
			if i > 0 && task.FullName != tasks[task.Parent].FullName+task.Name {
				t.Errorf("task %d: full name = %s", i, task.FullName)
			}
			for _, up := range task.Upstreams {
				if up >= i || tasks[up].Parent != task.Parent {
					t.Errorf("task %d %s: upstream %d is no earlier sibling", i, task.FullName, up)
				}
			}
		}
		if param.JSON(body) != text && !param.Equal(parse(t, param.JSON(body)), body) {
			t.Error("Compile changed the body")
		}
	})
}
