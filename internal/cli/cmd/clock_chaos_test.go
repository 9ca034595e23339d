//go:build chaos

package cmd

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The clock is set while the process runs, and durations stay right.
func TestWrongClock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "offset")
	t.Setenv(offsetVariable, path)
	now := processClock()
	right := now()
	if d := time.Until(right).Round(time.Hour); d != 0 {
		t.Errorf("without a file the clock is wrong by %s", d)
	}
	if err := os.WriteFile(path, []byte("-2h\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var wrong time.Time
	for wrong = now(); wrong.Round(0).After(right.Round(0)); wrong = now() { // the file is not read each time
	}
	if d := wrong.Round(0).Sub(right.Round(0)).Round(time.Hour); d != -2*time.Hour {
		t.Errorf("the clock was set by %s, want -2h", d)
	}
	if d := wrong.Sub(right); d < 0 || d > time.Minute {
		t.Errorf("by the clock that nobody sets %s have passed", d)
	}
}
