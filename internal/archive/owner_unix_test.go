//go:build unix

package archive

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// A folder that others may write to, or a link, is refused as the place of tasks' files.
func TestWorkspacesOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open, link := filepath.Join(dir, "open"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.Symlink(t.TempDir(), link)); err != nil { //nolint:gosec // what is tested
		t.Fatal(err)
	}
	for _, path := range []string{open, link} {
		if _, err := NewWorkspaces(WorkspaceOptions{Dir: path}); !errors.Is(err, trowel.ErrInvalid) {
			t.Errorf("NewWorkspaces(%s) = %v, want ErrInvalid", path, err)
		}
	}
}
