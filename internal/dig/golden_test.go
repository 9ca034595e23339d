package dig_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

var update = flag.Bool("update", false, "write what the code does into the golden files")

// Each file of testdata/tree has a project, what it compiles to, and what Load or Compile refuses.
func TestTrees(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/tree", "tree", func(files fstest.MapFS) string {
		project, err := dig.LoadFS(files, "/project")
		if err != nil {
			return refusal(err)
		}
		all, err := project.Compile()
		if err != nil {
			return refusal(err)
		}
		var b strings.Builder
		for i, w := range project.Workflows {
			fmt.Fprintf(&b, "%s %s %s\n", w.File, w.Zone.ID, param.JSON(w.Definition))
			writeTree(&b, all[i])
		}
		return b.String()
	})
}

// Each file of testdata/findings has a project and what Check finds in it.
func TestFindings(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/findings", "findings", func(files fstest.MapFS) string {
		var b strings.Builder
		dig.Render(&b, dig.CheckFS(files, "/project", catalog()), false)
		return b.String()
	})
}

func golden(t *testing.T, dir, result string, run func(fstest.MapFS) string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden files in %s: %v", dir, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{}
			var kept []txtar.File
			want := ""
			for _, f := range archive.Files {
				if f.Name == result {
					want = string(f.Data)
					continue
				}
				kept = append(kept, f)
				files[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
			}
			got := run(files)
			if *update {
				archive.Files = kept
				archive.Files = append(archive.Files, txtar.File{Name: result, Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", result, diff)
			}
		})
	}
}

func refusal(err error) string {
	var known *dig.Error
	if !errors.As(err, &known) {
		return "an error that is no *dig.Error: " + err.Error() + "\n"
	}
	return known.Text() + "\n"
}

func writeTree(b *strings.Builder, tasks []dig.Task) {
	for i, task := range tasks {
		kind := "op"
		if task.Group {
			kind = "group"
		}
		fmt.Fprintf(b, "%d %s %s parent %d after %v %s", i, kind, task.FullName, task.Parent, task.Upstreams, param.JSON(task.Local))
		if task.Export.Len() > 0 {
			fmt.Fprintf(b, " export %s", param.JSON(task.Export))
		}
		b.WriteString("\n")
	}
}
