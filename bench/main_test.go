package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A row is added at the end of its own section, which must exist.
func TestAddRow(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(file, []byte("# Performance\n\n## One\n\n| a |\n|---|\n| 1 |\n\n## Two\n\n| b |\n|---|\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, add := range []struct {
		heading string
		result  result
	}{
		{"## One", result{got: 2, limit: 3, unit: "ms"}},
		{"## Two", result{got: 4, limit: 5, unit: "x", least: true}},
		{"## One", result{got: 6, limit: 6, unit: "ms"}},
	} {
		if err := addRow(file, add.heading, "abc", []result{add.result}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	row := func(cell string) string {
		return "| " + time.Now().Format(time.DateOnly) + " | abc | " + cell + " |\n"
	}
	want := "# Performance\n\n## One\n\n| a |\n|---|\n| 1 |\n" + row("2 ms") + row("6 ms") + "\n## Two\n\n| b |\n|---|\n" + row("4 x (missed)")
	if got := string(text); got != want {
		t.Errorf("addRow: got\n%s\nwant\n%s", got, want)
	}
	if err := addRow(file, "## Three", "abc", nil); err == nil || !strings.Contains(err.Error(), "## Three") {
		t.Errorf("addRow to a section that is not there: %v", err)
	}
	for _, table := range tables() {
		text, err := os.ReadFile("../docs/performance.md")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), table.heading+"\n") {
			t.Errorf("docs/performance.md has no section %q", table.heading)
		}
	}
}
