package notify_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/notify"
	"github.com/trowel-project/trowel/internal/param"
)

// requireShell skips the test where there is no shell, as on most Windows machines.
func requireShell(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil && os.Getenv("CI") == "" {
		t.Skip("there is no sh")
	}
}

func shell(command string, timeout time.Duration) *notify.Shell {
	return notify.NewShell(notify.ShellOptions{Command: command, Timeout: timeout})
}

func TestShellGetsThePayload(t *testing.T) {
	t.Parallel()
	requireShell(t)
	file := filepath.ToSlash(filepath.Join(t.TempDir(), "got"))
	n := notify.OfAttempt(at(), "m", 4, setting())
	if err := shell("cat > '"+file+"'; echo noise; echo noise >&2", time.Minute).Send(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != param.JSON(n.Payload()) {
		t.Errorf("input = %s, %v", got, err)
	}
}

// Operators 2.11: the texts of failures.
func TestShellFailures(t *testing.T) {
	t.Parallel()
	requireShell(t)
	for _, c := range []struct {
		name, command string
		timeout       time.Duration
		want          string
	}{
		{"ignores its input", "true", time.Minute, ""},
		{"fails", "exit 3", time.Minute, "Notification shell command failed: exit 3, exit code = 3"},
		{"takes too long", "sleep 1000", 50 * time.Millisecond, "Notification shell command timed out: sleep 1000"},
		{"leaves a child that takes too long", "sleep 1000 & wait", 50 * time.Millisecond, "Notification shell command timed out: sleep 1000 & wait"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := shell(c.command, c.timeout).Send(t.Context(), notify.Notification{})
			if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
				t.Errorf("Send: error = %v, want %q", err, c.want)
			}
		})
	}
}

func TestShellEndsWithContext(t *testing.T) {
	t.Parallel()
	requireShell(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := shell("sleep 1000", time.Minute).Send(ctx, notify.Notification{}); !errors.Is(err, stop) {
		t.Errorf("Send: error = %v, want the cause of the end", err)
	}
}
