package builtin_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/operator/builtin"
)

var update = flag.Bool("update", false, "write what the code does into the golden files")

// The pages of operators and of their options are generated from the tables.
func TestManual(t *testing.T) {
	t.Parallel()
	table := builtin.Table(builtin.Options{})
	for name, want := range map[string]string{"operators.md": table.Document(), "options.md": table.OptionsDocument()} {
		file := filepath.Join("../../../docs/reference", name)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("docs/reference/%s differs from the tables; run this test with -update (-want +got):\n%s", name, diff)
		}
	}
}

// Each operator and each of its options has a description, and each operator has an example.
func TestManualIsWhole(t *testing.T) {
	t.Parallel()
	table := builtin.Table(builtin.Options{})
	for _, name := range table.Names() {
		if manual := table.Manual(name); !strings.Contains(manual, "```yaml") || !strings.Contains(manual, name+">") {
			t.Errorf("internal/operator/doc/%s.md is missing, or has no example", name)
		}
		for _, o := range table[name].OptionTable(name) {
			if o.Doc == "" {
				t.Errorf("%s>: the option %s does not say what it is for", name, o.Key)
			}
		}
	}
	if table.Manual("nope") != "" || table.Manual("../doc/sh") != "" {
		t.Error("there is a manual of an operator that there is not")
	}
}

// README names all operators.
func TestReadmeNamesOperators(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| operators | `" + strings.Join(builtin.Names(), "` `") + "` |\n"
	if !strings.Contains(string(readme), want) {
		t.Errorf("README.md lacks the row %s", want)
	}
}
