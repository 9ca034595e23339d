package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/trowtest/servertest"
	"github.com/trowel-project/trowel/internal/version"
)

// A server says what it is and where its files are, and that it does not read files of H2. Others cannot read
// its database, which holds archives, logs and parameters.
func TestServerIntroduces(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "db")
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // as an operator has made it
		t.Fatal(err)
	}
	for _, h2 := range []string{filepath.Join(dir, "digdag.mv.db"), dir + ".mv.db"} {
		if err := os.WriteFile(h2, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := servertest.Start(t, "database.path", dir)
	log := s.Log.String()
	file := filepath.Join(dir, "trowel.db")
	if want := "server opened version=" + version.Number + " database=" + file + " archives=db task_logs=db"; !strings.Contains(log, want) {
		t.Errorf("log has no %q:\n%s", want, log)
	}
	if n := strings.Count(log, "Digdag's H2 database is not read"); n != 2 {
		t.Errorf("%d warnings of H2, want 2:\n%s", n, log)
	}
	for _, name := range []string{file, file + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("%s has mode %o, want 600", name, info.Mode().Perm())
		}
	}
}
