//go:build unix

package command_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/command"
)

// watched keeps output, and tells when the word "ready" was printed.
type watched struct {
	mu    sync.Mutex
	text  bytes.Buffer
	ready chan struct{}
}

func newWatched() *watched { return &watched{ready: make(chan struct{})} }

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	had := strings.Contains(w.text.String(), "ready")
	w.text.Write(p)
	if !had && strings.Contains(w.text.String(), "ready") {
		close(w.ready)
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// within fails the test if f takes longer than a generous time.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > limit {
		t.Errorf("took %v, want at most %v", took, limit)
	}
}

// alive reports whether a process whose id a command has written to a file exists.
func alive(t *testing.T, path string) bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
		return false // has ended, but nobody has waited for it
	}
	return syscall.Kill(pid, 0) == nil
}

var errStop = errors.New("the attempt was killed")

// When the context ends, a command is asked to end, and it and all that it started is gone when Run
// returns.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		cause      error
		grace      time.Duration // 0: long
		output     string        // that must come
	}{
		{name: "sleeping", text: "echo $$ > pid; echo ready; sleep 60"},
		{name: "children", text: "sh -c 'echo $$ > pid; echo ready; sleep 60' & sleep 60"},
		{name: "cleans up", text: "echo $$ > pid; trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done", output: "cleaned"},
		{name: "refuses to end", text: "trap '' TERM; echo $$ > pid; echo ready; while :; do sleep 0.01; done", grace: 50 * time.Millisecond},
		{name: "at once", text: "trap '' TERM; echo $$ > pid; echo ready; while :; do sleep 0.01; done", cause: command.ErrKill},
		{name: "child without output refuses", text: "sh -c 'trap \"\" TERM; echo $$ > pid; exec >&- 2>&-; while :; do sleep 0.01; done' & while [ ! -s pid ]; do sleep 0.01; done; echo ready; sleep 60", grace: 50 * time.Millisecond},
		{name: "process has ended, child runs", text: "sh -c 'echo $$ > pid; echo ready; sleep 60' & exit 0"},
		{name: "group of its own", text: "timeout 60 sh -c 'echo $$ > pid; echo ready; sleep 60'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.grace == 0 {
				c.grace = time.Minute
			}
			if c.cause == nil {
				c.cause = errStop
			}
			local := newLocal(command.LocalOptions{Grace: c.grace})
			ctx, cancel := context.WithCancelCause(t.Context())
			out := newWatched()
			request := sh(t, c.text, out)
			go func() {
				<-out.ready
				cancel(c.cause)
			}()
			within(t, 20*time.Second, func() {
				if _, err := local.Run(ctx, request); !errors.Is(err, c.cause) {
					t.Errorf("Run: error = %v, want %v", err, c.cause)
				}
			})
			if alive(t, filepath.Join(request.Project, "pid")) {
				t.Error("a process of the command is left")
			}
			if got := out.String(); !strings.Contains(got, c.output) {
				t.Errorf("output = %q, want %q in it", got, c.output)
			}
		})
	}
}

// The second interrupt of an impatient person ends the grace.
func TestKillNow(t *testing.T) {
	t.Parallel()
	now := make(chan struct{})
	local := newLocal(command.LocalOptions{Grace: time.Hour, KillNow: now})
	ctx, cancel := context.WithCancelCause(t.Context())
	out := newWatched()
	go func() {
		<-out.ready
		cancel(errStop)
		close(now)
	}()
	within(t, 20*time.Second, func() {
		_, err := local.Run(ctx, sh(t, "trap '' TERM; echo ready; while :; do sleep 0.01; done", out))
		if !errors.Is(err, errStop) {
			t.Errorf("Run: error = %v, want %v", err, errStop)
		}
	})
}

func TestStopBeforeStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	request := sh(t, "echo x > started", io.Discard)
	if _, err := newLocal(command.LocalOptions{}).Run(ctx, request); !errors.Is(err, errStop) {
		t.Errorf("Run: error = %v, want %v", err, errStop)
	}
	if _, err := os.Stat(filepath.Join(request.Project, "started")); err == nil {
		t.Error("the command was started")
	}
}

// A command that has ended by itself keeps its status, though its context has ended meanwhile.
func TestStopAfterEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	status, err := newLocal(command.LocalOptions{}).Run(ctx, sh(t, "exit 4", io.Discard))
	if err != nil || status.ExitCode != 4 {
		t.Errorf("Run = %+v, %v, want exit code 4", status, err)
	}
}

// Processes left behind in the session are waited for, with a warning; what has left it is not.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, output, warning string
		left                        bool
	}{
		{
			name: "waited for", text: "(while [ ! -e warned ]; do sleep 0.05; done; echo late) & echo early",
			output: "early\nlate\n", warning: "waiting for them",
		},
		{
			name: "without output", text: "sleep 60 >/dev/null 2>&1 & echo $! > pid; echo early",
			output: "early\n", left: true,
		},
		{
			name: "daemon", text: "setsid sh -c 'echo $$ > pid; exec sleep 60' & while [ ! -s pid ]; do sleep 0.01; done; echo early",
			output: "early\n", warning: "is closed",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out, log bytes.Buffer
			request := sh(t, c.text, &out)
			warned := writerFunc(func(p []byte) (int, error) {
				log.Write(p)
				return len(p), os.WriteFile(filepath.Join(request.Project, "warned"), nil, 0o600)
			})
			local := newLocal(command.LocalOptions{Log: slog.New(slog.NewTextHandler(warned, nil))})
			t.Cleanup(func() { killIn(filepath.Join(request.Project, "pid")) })
			within(t, 20*time.Second, func() {
				status, err := local.Run(t.Context(), request)
				if err != nil || status.ExitCode != 0 || c.left && !status.Left {
					t.Errorf("Run = %+v, %v, want success and left = %v", status, err, c.left)
				}
			})
			if got := out.String(); got != c.output {
				t.Errorf("output = %q, want %q", got, c.output)
			}
			if got := log.String(); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
				t.Errorf("log = %q, want %q", got, c.warning)
			}
			if pid := filepath.Join(request.Project, "pid"); c.name != "waited for" && !alive(t, pid) {
				t.Error("the process that was left behind was ended")
			}
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// killIn kills the process whose id is in a file, if there is one.
func killIn(path string) {
	text, _ := os.ReadFile(path)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
	}
}

// Output comes while the command runs, not at its end.
func TestOutputIsLive(t *testing.T) {
	t.Parallel()
	out := newWatched()
	request := sh(t, "echo ready; while [ ! -e seen ]; do sleep 0.01; done", out)
	go func() {
		<-out.ready
		if err := os.WriteFile(filepath.Join(request.Project, "seen"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}()
	if _, err := newLocal(command.LocalOptions{}).Run(t.Context(), request); err != nil {
		t.Error(err)
	}
}

// The gate limits how many commands are being started, not how many run.
func TestGateDoesNotLimitRunning(t *testing.T) {
	t.Parallel()
	const commands = 20
	local := newLocal(command.LocalOptions{Starts: 1})
	project := t.TempDir()
	var wg sync.WaitGroup
	for i := range commands {
		wg.Go(func() {
			// Each command waits until all run.
			text := "echo > run" + strconv.Itoa(i) + "; while [ $(ls | grep -c run) -lt " + strconv.Itoa(commands) + " ]; do sleep 0.05; done"
			_, err := local.Run(t.Context(), &command.Request{
				Project: project, WorkDir: ".", Args: []string{"/bin/sh", "-c", text}, Output: io.Discard,
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
