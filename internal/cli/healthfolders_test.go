package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/cli/clitest"
	"github.com/trowel-project/trowel/internal/trowtest/servertest"
)

// A server that cannot store archives or logs says so in its health, without their location, until it can.
func TestHealthOfFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	archives, logs := filepath.Join(root, "archives"), filepath.Join(root, "logs")
	s := servertest.Start(t, "database.type", "memory", "archive.type", "file", "archive.file.path", archives,
		"log-server.type", "local", "log-server.local.path", logs)
	health := func() (status int, bad map[string]string) {
		status, text := s.Request("GET", "/api/health", "application/json", "")
		var report struct {
			Parts []struct {
				Name    string
				OK      bool
				Message string
			}
		}
		if err := json.Unmarshal([]byte(text), &report); err != nil || len(report.Parts) != 3 {
			t.Fatalf("health: %v: %s", err, text)
		}
		if strings.Contains(text, root) {
			t.Errorf("health tells a path: %s", text)
		}
		bad = map[string]string{}
		for _, p := range report.Parts {
			if !p.OK {
				bad[p.Name] = p.Message
			}
		}
		return status, bad
	}
	if status, bad := health(); status != http.StatusOK || len(bad) > 0 {
		t.Fatalf("health of a new server: %d, %v", status, bad)
	}
	if err := os.Rename(archives, archives+".away"); err != nil {
		t.Fatal(err)
	}
	push := func() clitest.Outcome {
		c := newConsole(t)
		c.Write("main.dig", "+a:\n  echo>: a\n")
		return c.Run("push", "p", "-e", s.URL)
	}
	if out := push(); out.Exit == 0 || strings.Contains(out.Stdout+out.Stderr, root) {
		t.Errorf("push without a folder: exit %d, %s", out.Exit, out.Stderr)
	}
	if status, bad := health(); status != http.StatusServiceUnavailable || len(bad) != 1 || !strings.Contains(bad["archives"], "no such file") {
		t.Errorf("health without the folder of archives: %d, %v", status, bad)
	}
	if err := os.Rename(archives+".away", archives); err != nil {
		t.Fatal(err)
	}
	if out := push(); out.Exit != 0 {
		t.Errorf("push: exit %d, %s", out.Exit, out.Stderr)
	}
	if status, bad := health(); status != http.StatusOK || len(bad) > 0 {
		t.Errorf("health afterwards: %d, %v", status, bad)
	}
}
