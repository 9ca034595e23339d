package live

import (
	"log/slog"
	"testing"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/logging"
)

// Warnings that were shown before the first task are not repeated after each task.
func TestWarnedOf(t *testing.T) {
	t.Parallel()
	l := &View{}
	for _, line := range []string{"Parameter '_retri' is not used at task +w+a.", "  > Did you mean [_retry]?"} {
		if l.warnedOf(line) {
			t.Errorf("%q is hidden although nothing was shown before", line)
		}
	}
	l.Warned([]dig.Finding{{Message: "Parameter '_retri' is not used at task +w+a."}, {Message: "'_retry' must be a whole number, but is \"lots\""}, {Message: "the file is empty"}})
	for line, want := range map[string]bool{
		"Parameter '_retri' is not used at task +w+b^sub+x.": true,
		"Parameter '_retry' is not used at task +w+a.":       true,
		"  > Did you mean [_retry]?":                         true,
		"Parameter 'table' is not used at task +w+a.":        false,
		"Parameter '_retri' is required but not set":         false,
		"the file is empty":                                  false,
	} {
		if got := l.warnedOf(line); got != want {
			t.Errorf("%q: hidden %v, want %v", line, got, want)
		}
	}
}

// A task that no file has is not counted in a summary, so it is not counted as skipped either.
func TestSkipped(t *testing.T) {
	t.Parallel()
	l := &View{opts: Options{Level: slog.LevelError}}
	for _, task := range []string{"+w+a", "+w" + failureAlert, "+w+b^sub+for-0=x=1=2"} {
		liveLog{l}.LogEntry(logging.Entry{Level: slog.LevelWarn, Task: task, Message: skippedText})
	}
	if l.skipped != 2 {
		t.Errorf("%d skipped, want 2", l.skipped)
	}
}
