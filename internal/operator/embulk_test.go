package operator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

// withEmbulk puts a program embulk first in the PATH, which prints its arguments, the configuration and the variable
// GIVEN.
func withEmbulk(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	program := "#!/bin/sh\necho \"$1 $(basename \"$2\") $GIVEN\"\ncat \"$2\"\ngrep -q fail \"$2\" && exit 3\nexit 0\n"
	if err := os.WriteFile(filepath.Join(dir, "embulk"), []byte(program), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// The configuration is that of a file, with expressions and secrets, or the option without secrets (operators 3.5).
func TestEmbulk(t *testing.T) { //nolint:paralleltest // it sets the PATH
	withEmbulk(t)
	table := operator.Core(operator.Options{})
	file := operatortest.New(t, table, param.Of("embulk>", "in/load.yml", "_env", param.Of("GIVEN", "${secret:a.b}"))).
		With("n", 5).File("in/load.yml", "in: {type: file, n: ${n}, pw: '${secret:db.pw}'}\nout: {no: no}\n")
	if _, err := file.Run(); err != nil {
		t.Fatal(err)
	}
	want := "run load.yml <a.b>\n" + `{"in":{"type":"file","n":5,"pw":"<db.pw>"},"out":{"no":"no"}}`
	if diff := cmp.Diff(want, file.Output.String()); diff != "" {
		t.Errorf("from a file (-want +got):\n%s", diff)
	}
	config := param.Of("in", param.Of("type", "file", "pw", "${secret:db.pw}"))
	inline := operatortest.New(t, table, param.Of("embulk>", nil)).With("embulk", param.Of("config", config))
	if _, err := inline.Run(); err != nil {
		t.Fatal(err)
	}
	want = "run load.yml \nin:\n  type: \"file\"\n  pw: \"${secret:db.pw}\"\n"
	if diff := cmp.Diff(want, strings.TrimPrefix(inline.Output.String(), "---\n")); diff != "" {
		t.Errorf("from the option (-want +got):\n%s", diff)
	}
}

func TestEmbulkErrors(t *testing.T) { //nolint:paralleltest // it sets the PATH
	withEmbulk(t)
	for name, c := range map[string]struct{ text, want string }{
		"missing":  {"", "java.nio.file.NoSuchFileException: DIR/load.yml (runtime)"},
		"broken":   {"in: [", "Failed to parse yaml file (config)"},
		"template": {"in: ${x.y}", "io.digdag.spi.TemplateException: Failed to evaluate a variable in: ${x.y} (ReferenceError: x is not defined) (runtime)"},
		"secret":   {"in: '${secret:no.such}'", "Secret not found for key: 'no.such' (secret not found)"},
		"exit":     {"in: fail", "Command failed with code 3 (runtime)"},
	} {
		f := operatortest.New(t, operator.Core(operator.Options{}), param.Of("embulk>", "load.yml"))
		if c.text != "" {
			f.File("load.yml", c.text)
		}
		_, err := f.Run()
		if got := strings.ReplaceAll(operatortest.Message(err), f.Project, "DIR"); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
