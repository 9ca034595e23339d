package rest_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/file"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

// Errors have no paths of the server. Only its log has them.
func TestPlacesAreNotTold(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	log := &bytes.Buffer{}
	// replaced makes a folder, and replaces it by a file after open has used it.
	replaced := func(name string, open func(dir string)) string {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		open(dir)
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	archives := func(o *server.Options) {
		replaced("archives", func(dir string) {
			store, err := file.New(dir, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			o.V1.Archives.Stores, o.V1.Pushes.ArchiveType = map[string]blob.Store{"local": store}, "local"
		})
	}
	temporary := func(o *server.Options) { o.V1.Pushes.TempDir = replaced("temp", func(string) {}) }
	for name, tc := range map[string]struct {
		change func(*server.Options)
		want   string
	}{
		"archives":        {archives, "not a directory"},
		"temporary files": {temporary, "cannot write a temporary file"},
	} {
		log.Reset()
		h := servertest.New(t, func(o *server.Options) {
			tc.change(o)
			o.REST.Log = slog.New(slog.NewTextHandler(log, nil))
		})
		a := h.Do(t, http.MethodPut, "/api/projects?project=p&revision=r", "application/gzip", servertest.Packed(t, "main.dig", "+a:\n  echo>: a\n"))
		if a.Status != http.StatusServiceUnavailable || !strings.Contains(a.Body, tc.want) || strings.Contains(a.Body, root) {
			t.Errorf("%s: %d %s, want 503 with %q and no path", name, a.Status, a.Body, tc.want)
		}
		if !strings.Contains(log.String(), root) || !strings.Contains(log.String(), "not a directory") {
			t.Errorf("%s: the log lacks the path and the reason: %s", name, log)
		}
	}
}
