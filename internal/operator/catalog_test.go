package operator_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/template"
)

var update = flag.Bool("update", false, "write what the code does into the golden files")

// The findings of all projects in this repository. Most of those in conformance are broken on purpose. A new
// line of any other project is a false finding.
func TestFindingsOfAllProjects(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, top := range []string{"conformance", "examples"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".dig") && !entry.IsDir() {
				folders = append(folders, filepath.Dir(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(folders)
	catalog := operator.Core(operator.Options{}).Catalog(template.New(template.Options{}))
	var found strings.Builder
	for _, dir := range slices.Compact(folders) {
		name, _ := filepath.Rel(root, dir)
		for _, f := range dig.Check(dir, catalog) {
			fmt.Fprintf(&found, "%s/%s %s %s: %s\n", filepath.ToSlash(name), f.Place, f.Severity, f.Rule,
				strings.ReplaceAll(strings.ReplaceAll(f.Message, "\n", " "), dir, "DIR"))
		}
	}
	const golden = "testdata/findings.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(found.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), found.String()); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// What operators report about a command or an option before they run.
func TestFindingsOfValues(t *testing.T) {
	t.Parallel()
	catalog := operator.Core(operator.Options{}).Catalog(template.New(template.Options{}))
	for _, c := range []struct{ task, want string }{
		{`{http>: "http://example.com/x"}`, ""},
		{`{http>: "https://example.com"}`, ""},
		{`{http>: "${url}/x"}`, ""},
		{`{http>: example.com/x}`, `'http>' must begin with http:// or https:// and a host, but is "example.com/x"`},
		{`{http>: "ftp://example.com"}`, `'http>' must begin with http:// or https:// and a host, but is "ftp://example.com"`},
		{`{http_call>: /x}`, `'http_call>' must begin with http:// or https:// and a host, but is "/x"`},
		{`{http>: "http://a", content: {x: 1}, content_format: JSON}`, ""},
		{`{http>: "http://a", content: {x: 1}, content_format: jsn}`, `'content_format' must be text, json or form, but is "jsn"`},
		{`{mail>: body.txt}`, ""},
		{`{mail>: {data: hi}}`, ""},
		{`{mail>: {dat: hi}}`, "'mail>' must be the name of a file, or `{data: TEXT}`, but is {\"dat\":\"hi\"}"},
		{`{sh>: "echo ${FOO:-bar}"}`, "the expression ${FOO:-bar} cannot be read: Unexpected token :; " +
			"put the script into a file: ${...} is an expression, which the shell never sees"},
		{`{py>: tasks.load}`, ""},
		{`{py>: größe.laden}`, ""},
		{`{py>: "${module}.load"}`, ""},
		{`{py>: load.py}`, `'py>' must be names with dots between them, as in package.module.function, but is "load.py"`},
		{`{py>: "tasks:load"}`, `'py>' must be names with dots between them, as in package.module.function, but is "tasks:load"`},
		{`{py>: load(1)}`, `'py>' must be names with dots between them, as in package.module.function, but is "load(1)"`},
		{`{sh>: ls, docker: {image: x}}`, ""},
		{`{sh>: ls, docker: "${docker_for_all}"}`, ""},
		{`{sh>: ls, docker: {pull_always: true}}`, "'sh>' needs 'docker.image'; set it here, in `_export`, or with -p when the workflow starts"},
		{`{mail>: {data: hi}, _export: {mail: {subjct: x}}}`, "Parameter 'mail.subjct' is not used at task +main+a.; did you mean subject?"},
		{`{mail>: {data: "${mail.subjct}"}, _export: {mail: {subjct: x}}}`, ""},
		{`{mail>: {data: hi}, _export: {mail: {to_whom_it_may_concern: x}}}`, ""},
	} {
		files := fstest.MapFS{"main.dig": {Data: []byte("+a: " + c.task + "\n")}}
		var got []string
		for _, f := range dig.CheckFS(files, "/p", catalog) {
			got = append(got, strings.TrimSuffix(f.Message+"; "+f.Hint, "; "))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", c.task, diff)
		}
	}
}
