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

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/template"
)

var update = flag.Bool("update", false, "write what the code does into the golden files")

// What is found in all projects of this repository. Most of those in conformance are broken on purpose; a new
// line of any other is a false finding.
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
	catalog := operator.Builtin(operator.Options{}).Catalog(template.New(template.Options{}))
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
