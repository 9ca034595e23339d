//go:build unix

package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/config"
)

// There is one warning about each file with secrets that everybody may read, and none about others.
func TestOpenSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(path, 0o711); err != nil { //nolint:gosec // others pass through
			t.Fatal(err)
		}
	}
	for above := dir; above != "/"; above = filepath.Dir(above) {
		if info, err := os.Stat(above); err != nil || info.Mode().Perm()&0o001 == 0 {
			t.Skipf("%s is closed", above)
		}
	}
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open, group, closed, below := file("open", 0o644), file("group", 0o640), file("closed", 0o600), file("closed.d/open", 0o644)
	for _, c := range []struct {
		name, from, user string
		key              string
		warned           bool
	}{
		{"everybody may read it", open, "", "database.password", true},
		{"a group may read it", group, "", "database.password", false},
		{"nobody may read it", closed, "", "database.password", false},
		{"in a closed folder", below, "", "database.password", false},
		{"no secret", open, "", "database.host", false},
		{"one of many names", open, "", "secrets.x", true},
		{"the encryption key", open, "", "digdag.secret-encryption-key", true},
		{"the address of a server", open, "", "client.http.endpoint", false},
		{"a client's token", open, "", "client.token", true},
		{"command line", "-X", "", "database.password", false},
		{"command line, and commands of others", "-X", "nobody", "database.password", true},
		{"variable", "DIGDAG_CONFIG", "nobody", "database.password", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			settings := config.Settings{c.key: {Value: "x", From: c.from}, "database.type": {Value: "memory", From: c.from}}
			s := &config.Server{Agent: config.Agent{CommandUser: c.user}}
			opts := Options{Settings: s, Sources: settings, Dir: dir}
			opts.secretFiles(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
			if got := strings.Contains(log.String(), "WARN"); got != c.warned {
				t.Errorf("warned = %v, want %v\n%s", got, c.warned, &log)
			}
		})
	}
}
