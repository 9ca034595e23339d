package archive

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files that others remove from the folder of temporary files, to clean it up, are fetched again.
// No try runs with only some of its files, and none fails because of this.
func TestWorkspacesAreCleanedAway(t *testing.T) {
	t.Parallel()
	want := map[string]string{"run.sh": "true\n", "lib/": "", "lib/x": "x"}
	for _, tc := range []struct {
		name  string
		spoil func(all *Workspaces, revision string) error
	}{
		{"one file", func(_ *Workspaces, revision string) error { return os.Remove(filepath.Join(revision, "lib", "x")) }},
		{"a folder", func(_ *Workspaces, revision string) error { return os.RemoveAll(filepath.Join(revision, "lib")) }},
		{"half of a file", func(_ *Workspaces, revision string) error { return os.Truncate(filepath.Join(revision, "run.sh"), 2) }},
		{"the revision", func(_ *Workspaces, revision string) error { return os.RemoveAll(revision) }},
		{"all revisions", func(all *Workspaces, _ string) error { return os.RemoveAll(all.cache.dir) }},
		{"the workspaces", func(all *Workspaces, _ string) error { return os.RemoveAll(all.work) }},
	} {
		for _, restarted := range []bool{false, true} {
			name := tc.name
			if restarted {
				name += ", while no process ran"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := &depot{archives: map[string][]byte{"a": archiveOf(t, file("run.sh", "true\n"), file("lib/x", "x"))}}
				opts := WorkspaceOptions{Dir: t.TempDir(), Fetch: d.fetch}
				all := newWorkspaces(t, opts)
				first := all.Open(d.lease("a"))
				dirOf(t, first)
				closeAll(t, first)
				revisions, err := os.ReadDir(all.cache.dir)
				if err != nil || len(revisions) != 1 {
					t.Fatalf("revisions: %v, %v", revisions, err)
				}
				if restarted {
					closeAll(t, all)
				}
				if err := tc.spoil(all, filepath.Join(all.cache.dir, revisions[0].Name())); err != nil {
					t.Fatal(err)
				}
				if restarted {
					all = newWorkspaces(t, opts)
				}
				second := all.Open(d.lease("a"))
				if diff := cmp.Diff(want, filesIn(t, dirOf(t, second))); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
				closeAll(t, second, all)
			})
		}
	}
}

// If files keep disappearing, the try fails at last.
func TestWorkspaceIsAlwaysSpoiled(t *testing.T) {
	t.Parallel()
	d := &depot{archives: map[string][]byte{"a": archiveOf(t, file("x", "x"))}}
	all := newWorkspaces(t, WorkspaceOptions{Dir: t.TempDir(), Fetch: d.fetch})
	uses := 0
	err := all.cache.use(t.Context(), d.lease("a").Context.Revision.Archive, func(string) (int64, error) {
		uses++
		return 1, nil
	})
	if err == nil || uses != maxUses {
		t.Errorf("use = %v after %d uses, want an error after %d", err, uses, maxUses)
	}
	closeAll(t, all)
}
