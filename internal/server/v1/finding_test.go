package v1_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/server"
	"github.com/trowel-project/trowel/internal/server/servertest"
)

func findingsOf(t *testing.T, h *servertest.Server, query string) api.FindingCollection {
	t.Helper()
	var found api.FindingCollection
	answer := h.Get(t, "/api/projects/1/findings"+query)
	if err := json.Unmarshal([]byte(answer.Body), &found); err != nil || answer.Status != 200 {
		t.Fatalf("findings%s: %d %s", query, answer.Status, answer.Body)
	}
	return found
}

// The server stores the warnings about a revision, up to a limit, and logs one line about them.
func TestFindings(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := servertest.New(t, func(o *server.Options) {
		o.V1.Pushes.Catalog = dig.Catalog{Operators: map[string]dig.Operator{"echo": {}}}
		o.REST.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	h.Push(t, "project=p&revision=r1", "main.dig", "+a:\n  ech>: hi\n")
	h.Push(t, "project=p&revision=r2", "main.dig", "+a:\n  echo>: hi\n")
	var files []string
	for i := range 30 {
		files = append(files, fmt.Sprintf("w%02d.dig", i), strings.ReplaceAll(bigGroup(110), "OP", "ech"+strings.Repeat("h", 500)))
	}
	if answer := h.Push(t, "project=p&revision=r3", files...); answer.Status != 200 {
		t.Fatalf("push of r3: %d %.300s", answer.Status, answer.Body)
	}

	first := findingsOf(t, h, "?revision=r1")
	if first.Total != 1 || len(first.Findings) != 1 || first.Findings[0].Rule != "unknown-operator" || first.Findings[0].Line != 2 ||
		first.Findings[0].Severity != "warning" || first.Findings[0].Hint == "" {
		t.Errorf("findings of r1: %+v", first)
	}
	if second := findingsOf(t, h, "?revision=r2"); second.Total != 0 || second.Findings == nil {
		t.Errorf("findings of r2: %+v, want an empty list", second)
	}
	newest := findingsOf(t, h, "")
	if newest.Revision != "r3" || newest.Total != 3000 || len(newest.Findings) != 200 || len(newest.Findings[0].Message) > 510 || len(newest.Findings[0].Source) > 210 {
		t.Errorf("findings of the newest: revision %s, %d of %d, texts of %d and %d", newest.Revision, len(newest.Findings), newest.Total,
			len(newest.Findings[0].Message), len(newest.Findings[0].Source))
	}
	if answer := h.Get(t, "/api/projects/1/findings?revision=none"); answer.Status != 404 {
		t.Errorf("findings of an unknown revision: %d", answer.Status)
	}
	if answer := h.Get(t, "/api/projects/2/findings"); answer.Status != 404 {
		t.Errorf("findings of an unknown project: %d", answer.Status)
	}
	if n := strings.Count(log.String(), "revision has warnings"); n != 2 || strings.Contains(log.String(), "\x1b") {
		t.Errorf("%d lines about warnings, want 2:\n%s", n, log.String())
	}
}

// bigGroup returns a workflow with so many tasks of the operator OP.
func bigGroup(tasks int) string {
	var text strings.Builder
	for i := range tasks {
		fmt.Fprintf(&text, "+t%d: {OP>: x}\n", i)
	}
	return text.String()
}

// Errors of pushes do not have paths of the server.
func TestRefusedPushTellsNoPath(t *testing.T) {
	t.Parallel()
	folder := ""
	h := servertest.New(t, func(o *server.Options) { folder = o.V1.Pushes.TempDir })
	for name, file := range map[string]string{
		"syntax": "+a:\n  echo> hi\n  x: [\n", "two operators": "+a:\n  echo>: hi\n  sh>: x\n", "schedule": "schedule:\n  dayly>: 07:00:00\n+a:\n  echo>: hi\n",
		"zone": "timezone: Nowhere\n+a:\n  echo>: hi\n", "include": "_export:\n  !include : 'none.yml'\n+a:\n  echo>: hi\n",
	} {
		answer := h.Push(t, "project=p&revision=r1", "main.dig", file)
		if answer.Status != 400 || folder == "" || strings.Contains(answer.Body, folder) || strings.Contains(answer.Body, filepath.Base(filepath.Dir(folder))) {
			t.Errorf("%s: %d, want 400 without %s:\n%s", name, answer.Status, folder, answer.Body)
		}
	}
}
