//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// Files that a server writes for its operators cannot be read by others, whatever the umask is.
func TestServerFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := servertest.Start(t, "server.access-log.path", filepath.Join(dir, "access"))
	if err := os.Rename(s.RuntimeInfo, filepath.Join(dir, "info.json")); err != nil {
		t.Fatal(err)
	}
	s.Request("GET", "/api/version", "", "")
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o027 != 0 {
			t.Errorf("%s has mode %v, want nothing for others, and no writing by the group", path, info.Mode())
		}
		if !entry.IsDir() {
			files++
		}
		return err
	})
	if err != nil || files < 2 {
		t.Errorf("%d files, %v, want an access log and the runtime info", files, err)
	}
}
