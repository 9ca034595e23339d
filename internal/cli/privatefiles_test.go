//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// What a server writes for its operators is not for everybody, whatever the umask allows.
func TestLogsArePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, err := openLogFile(filepath.Join(dir, "logs", "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	log.limit = 1
	for range 3 { // rotates
		if _, err := log.Write([]byte("line\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "server.access-log.path", filepath.Join(dir, "access"))
	if err := writeRuntimeInfo(filepath.Join(dir, "runtime", "info.json"), runtimeInfo{}); err != nil {
		t.Fatal(err)
	}
	s.request("GET", "/api/version", "", "")
	files := 0
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
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
	if err != nil || files < 5 {
		t.Errorf("%d files, %v, want logs, old ones, access log and runtime info", files, err)
	}
}
