//go:build linux

package command_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
)

// What commands have started does not outlive the next start, wherever it hides; others do.
func TestEndLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text string }{
		{"the command itself", "echo $$; exec sleep 1000"},
		{"a child in the background", "sleep 1000 & echo $!; wait"},
		{"a child of a command that has ended", "sleep 1000 & echo $!; exit 0"},
		{"a child that has left the output", "sleep 1000 >/dev/null 2>&1 & echo $!"},
		{"a session of its own", "setsid sh -c 'echo $$; exec sleep 1000' & wait"},
		{"a session of its own, and nobody waits", "setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' &"},
		{"without an environment", "env -i sh -c 'echo $$; exec sleep 1000' & wait"},
		{"without an environment elsewhere", "cd /; env -i sh -c 'echo $$; exec sleep 1000' & wait"},
		{"that ignores signals", "trap '' TERM HUP INT; echo $$; sleep 1000; sleep 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "processes")
			pid := runAbandoned(t, path, c.text)
			if err := command.EndLeft(t.Context(), path, slog.New(slog.DiscardHandler)); err != nil {
				t.Fatal(err)
			}
			if lives(pid) {
				t.Errorf("process %d of %q is alive", pid, c.text)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the journal is left: %v", err)
			}
		})
	}
}

// runAbandoned is a process that runs a command with a journal and is killed. It returns the process whose id the command
// has printed.
func runAbandoned(t *testing.T, path, text string) int {
	t.Helper()
	server := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestAbandonedProcess$")
	server.Env = append(os.Environ(), "TROWEL_ABANDON="+path, "TROWEL_ABANDON_TEXT="+text)
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var line []byte
	for one := make([]byte, 1); !bytes.HasSuffix(line, []byte("\n")); line = append(line, one...) {
		if _, err := io.ReadFull(out, one); err != nil {
			t.Fatalf("the process has ended: %v, %s", err, line)
		}
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	pid, err := strconv.Atoi(strings.TrimSpace(string(line)))
	if err != nil || !lives(pid) {
		t.Fatalf("process %q: %v, alive: %v", line, err, lives(pid))
	}
	return pid
}

// TestAbandonedProcess is the process of runAbandoned.
func TestAbandonedProcess(t *testing.T) {
	t.Parallel()
	path := os.Getenv("TROWEL_ABANDON")
	if path == "" {
		t.Skip("not the process of another test")
	}
	journal, err := command.OpenJournal(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	local := command.NewLocal(command.LocalOptions{Env: os.Environ(), Journal: journal})
	request := &command.Request{Project: t.TempDir(), WorkDir: ".", Args: []string{"/bin/sh", "-c", os.Getenv("TROWEL_ABANDON_TEXT")}, Output: os.Stdout}
	if _, err := local.Run(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	select {} // until it is killed
}

// lives reports whether a process runs; a zombie does not.
func lives(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !bytes.Contains(stat, []byte(") Z"))
}

// A process that has the number of one in the journal, but began at another time, or on another boot, is spared.
func TestEndLeftSparesOthers(t *testing.T) {
	t.Parallel()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Skip(err)
	}
	stranger := exec.CommandContext(t.Context(), "sleep", "1000")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	pid := strconv.Itoa(stranger.Process.Pid)
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	started := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[19]
	this := strings.TrimSpace(string(boot))
	for _, c := range []struct{ name, journal string }{
		{"began at another time", head(this+" mark") + pid + " 1\n"},
		{"another boot", head("other-boot mark") + pid + " " + started + "\n"},
		{"half a journal", this},
		{"nothing", ""},
		{"no numbers", head(this+" mark") + "-1 0\n0 0\n1 1\nx y\n" + strings.Repeat(" ", 31) + "\n"},
	} {
		path := filepath.Join(t.TempDir(), "processes")
		if err := os.WriteFile(path, []byte(c.journal), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := command.EndLeft(t.Context(), path, slog.New(slog.DiscardHandler)); err != nil || !lives(stranger.Process.Pid) {
			t.Fatalf("%s: EndLeft = %v, the stranger lives: %v", c.name, err, lives(stranger.Process.Pid))
		}
	}
	if err := command.EndLeft(t.Context(), filepath.Join(t.TempDir(), "none"), slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("EndLeft without a journal = %v, want nil", err)
	}
}

// head is the first line of a journal.
func head(text string) string { return text + strings.Repeat(" ", 127-len(text)) + "\n" }

// A journal does not grow with the number of commands, and is private; an orderly end removes it.
func TestJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "processes")
	journal, err := command.OpenJournal(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	local := newLocal(command.LocalOptions{Journal: journal})
	for range 300 {
		if _, err := local.Run(t.Context(), sh(t, "sleep 0 >/dev/null 2>&1 &", io.Discard)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 128+200*32 || info.Mode().Perm() != 0o600 {
		t.Errorf("journal = %+v, %v, want a few lines for its owner alone", info, err)
	}
	var out bytes.Buffer
	nested := newLocal(command.LocalOptions{Journal: journal, Env: []string{"PATH=/bin:/usr/bin", "TROWEL_PROCESS_MARK=above"}})
	if _, err := nested.Run(t.Context(), sh(t, "echo $TROWEL_PROCESS_MARK", &out)); err != nil || !strings.HasPrefix(out.String(), "above,") {
		t.Errorf("mark of a process in a task = %q, %v, want that of the one above, too", out.String(), err)
	}
	if err := journal.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("journal after Close: %v", err)
	}
}
