package command_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
)

// groupsVariable says that limits are kept by control groups, as in the machine of `make cgroup`. Otherwise processes are
// looked at.
const groupsVariable = "TROWEL_TEST_GROUPS"

// groups are opened once, as this process can enter them only once.
var groups, errGroups = openGroups()

func openGroups() (*command.Groups, error) {
	if os.Getenv(groupsVariable) == "" || os.Getenv(eatVariable) != "" {
		return nil, nil
	}
	return command.OpenGroups(slog.New(slog.DiscardHandler))
}

func keeper(t *testing.T) *command.Local {
	t.Helper()
	if errGroups != nil {
		t.Fatal(errGroups)
	}
	return newLocal(command.LocalOptions{Groups: groups, Grace: 100 * time.Millisecond})
}

// eating returns a shell command that uses memory for three seconds.
func eating(t *testing.T, mebibytes int) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return eatVariable + "=" + strconv.Itoa(mebibytes<<20) + " " + self
}

const mebibyte = 1 << 20

// longest is how long the commands of TestExceededLimits may take on a busy machine, which may be an emulated one.
const longest = 30 * time.Second

// Control K823: a command that exceeds a limit is ended, and its status names the limit and what it had reached.
func TestExceededLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		limits     command.Limits
		kind       string
		least      int64 // of the peak
	}{
		{name: "memory", text: eating(t, 200), limits: command.Limits{Memory: 64 * mebibyte}, kind: "memory", least: 60 * mebibyte},
		{name: "memory of a child", text: eating(t, 200) + "; exit 0", limits: command.Limits{Memory: 64 * mebibyte}, kind: "memory", least: 60 * mebibyte},
		{
			name: "memory of several together", text: eating(t, 50) + " & " + eating(t, 50) + " & wait",
			limits: command.Limits{Memory: 64 * mebibyte}, kind: "memory", least: 60 * mebibyte,
		},
		{
			name: "memory of what has left the session", text: "(setsid sh -c '" + eating(t, 200) + "' > /dev/null 2>&1 &); sleep 60",
			limits: command.Limits{Memory: 64 * mebibyte}, kind: "memory", least: 60 * mebibyte,
		},
		{name: "processes", text: "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do sleep 2 & done; wait", limits: command.Limits{PIDs: 10}, kind: "pids", least: 10},
		{
			name: "processes that start each other", text: `f() { if [ "$1" -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi; sleep 2; wait; }; f 8; exit 1`,
			limits: command.Limits{PIDs: 40}, kind: "pids", least: 40,
		},
		{
			name: "a folder that grows", text: "i=0; while [ $i -lt 200 ]; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); sleep 0.02; done; sleep 60",
			limits: command.Limits{Disk: 10e6}, kind: "disk", least: 10e6,
		},
		{name: "a file that is there at the end", text: "head -c 5000000 /dev/zero > f", limits: command.Limits{Disk: 1e6}, kind: "disk", least: 1e6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := sh(t, "echo ready; "+c.text, io.Discard)
			request.Limits = c.limits
			began := time.Now()
			status, err := keeper(t).Run(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > longest {
				t.Errorf("the command was ended after %v", took)
			}
			e := status.Exceeded
			if e == nil || e.Kind != c.kind || e.Peak < c.least {
				t.Fatalf("exceeded = %+v, want a limit of %s and at least %d", e, c.kind, c.least)
			}
			for _, part := range []string{"limit of ", "peak was "} {
				if !strings.Contains(e.Error(), part) {
					t.Errorf("error = %q, want %q in it", e, part)
				}
			}
			if n := processesIn(request.Project); n > 0 {
				t.Errorf("%d processes of the command are left", n)
			}
		})
	}
}

// processesIn counts the processes that work in a folder.
func processesIn(dir string) (n int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && at == dir {
			n++
		}
	}
	return n
}

// Commands within their limits are left alone.
func TestKeptLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		limits     command.Limits
		exit       int
	}{
		{name: "all", text: eating(t, 40), limits: command.Limits{Memory: 200 * mebibyte, PIDs: 100, Disk: 1e6}},
		{name: "failed", text: "exit 3", limits: command.Limits{Memory: 200 * mebibyte, PIDs: 100, Disk: 1e6}, exit: 3},
		{name: "deleted files", text: "for i in 1 2 3 4 5 6; do head -c 900000 /dev/zero > f; rm f; done", limits: command.Limits{Disk: 1e6}},
		{name: "names of one file", text: "head -c 600000 /dev/zero > f; ln f g; ln f h; sleep 0.3", limits: command.Limits{Disk: 1e6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			request := sh(t, c.text, io.Discard)
			request.Limits = c.limits
			status, err := keeper(t).Run(t.Context(), request)
			if err != nil || status.Exceeded != nil || status.ExitCode != c.exit {
				t.Errorf("Run = %+v, %v, want exit code %d and no limit", status, err, c.exit)
			}
		})
	}
}

// Memory that processes share after fork(2) counts once.
func TestSharedMemoryCountsOnce(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	request := sh(t, `exec python3 -c '
import os, time
x = bytearray(80 << 20)
for i in range(4):
    if os.fork() == 0:
        break
time.sleep(1)
'`, io.Discard)
	request.Limits.Memory = 200 * mebibyte
	status, err := keeper(t).Run(t.Context(), request)
	if err != nil || status.Exceeded != nil || status.ExitCode != 0 {
		t.Errorf("Run = %+v, %v, want success", status, err)
	}
	if peak := status.Usage.PeakMemory; peak < 80*mebibyte || peak > 200*mebibyte {
		t.Errorf("peak = %d, want about 80 MiB", peak)
	}
}

// A try says what its commands have used.
func TestUsage(t *testing.T) {
	t.Parallel()
	request := sh(t, eating(t, 60)+"; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; dd if=/dev/zero of=f bs=1M count=5 conv=fsync 2>/dev/null", io.Discard)
	request.Limits.Memory = 1 << 30 // without a limit, a busy machine is looked at too rarely for a sure peak
	status, err := keeper(t).Run(t.Context(), request)
	if err != nil || status.ExitCode != 0 {
		t.Fatalf("Run = %+v, %v", status, err)
	}
	u := status.Usage
	if u.PeakMemory < 60*mebibyte || u.PeakMemory > 300*mebibyte { // this program takes more with the race detector
		t.Errorf("peak of the memory = %d, want 60 MiB and not much more", u.PeakMemory)
	}
	if u.CPUTime < 50*time.Millisecond || u.CPUTime > time.Minute {
		t.Errorf("time of the processor = %v", u.CPUTime)
	}
	if onDisk(request.Project) && u.BytesWritten < 5*mebibyte {
		t.Errorf("bytes written = %d, want 5 MiB or more", u.BytesWritten)
	}
}

// A short command has a peak of its own: not what this process has.
func TestUsageOfShortCommand(t *testing.T) {
	t.Parallel()
	for range 20 { // on a busy machine it may have ended before anybody looks
		status, err := keeper(t).Run(t.Context(), sh(t, "sleep 0.15", io.Discard))
		peak := status.Usage.PeakMemory
		if err != nil || peak > 6*mebibyte {
			t.Errorf("peak of the memory = %d, %v, want less than a few MiB", peak, err)
		}
		if peak >= 10<<10 {
			return
		}
	}
	t.Error("the memory of short commands is not seen")
}

// What has left the session of a command is ended with it if the command is stopped.
func TestStopEndsWhatHasLeft(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	out := newWatched()
	request := sh(t, "setsid sh -c 'echo $$ > pid; exec sleep 60' > /dev/null 2>&1 & sleep 0.8; echo ready; sleep 60", out)
	go func() {
		<-out.ready
		cancel(errStop)
	}()
	if _, err := keeper(t).Run(ctx, request); !errors.Is(err, errStop) {
		t.Errorf("Run: error = %v, want %v", err, errStop)
	}
	for range 100 {
		if !alive(t, filepath.Join(request.Project, "pid")) {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Error("what has left the session runs on")
}

func TestKept(t *testing.T) {
	t.Parallel()
	want := []string{trowel.LimitMemory, trowel.LimitPIDs, trowel.LimitDisk}
	if groups != nil {
		want = trowel.LimitNames()
	}
	if got := command.Kept(groups); !slices.Equal(got, want) {
		t.Errorf("Kept() = %v, want %v", got, want)
	}
}

// Only control groups keep the limit of cores.
func TestCoresLimit(t *testing.T) {
	t.Parallel()
	if groups == nil {
		t.Skip("there are no control groups here")
	}
	request := sh(t, "i=0; while [ $i -lt 10 ]; do while :; do :; done & i=$((i+1)); done; sleep 2; kill 0", io.Discard)
	request.Limits.CPU = 0.25
	began := time.Now()
	status, err := keeper(t).Run(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if used := status.Usage.CPUTime; used > took/2 || used < took/10 {
		t.Errorf("the command used %v of the processor in %v, want about a quarter", used, took)
	}
}

// A group is removed with its command, or after it if processes run on.
func TestGroupsAreRemoved(t *testing.T) {
	t.Parallel()
	if groups == nil {
		t.Skip("there are no control groups here")
	}
	request := sh(t, "setsid sleep 1 > /dev/null 2>&1 & exit 0", io.Discard)
	if _, err := keeper(t).Run(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := keeper(t).Run(t.Context(), sh(t, "exit 0", io.Discard)); err != nil {
			t.Fatal(err)
		}
		<-time.After(50 * time.Millisecond)
		if left, _ := filepath.Glob(filepath.Join(groups.Dir(), "try-*")); len(left) < 2 {
			return
		}
	}
	left, _ := filepath.Glob(filepath.Join(groups.Dir(), "try-*"))
	t.Errorf("groups are left: %v", left)
}

// onDisk reports whether a folder is on a file system that counts what is written to it.
func onDisk(dir string) bool {
	var fs syscall.Statfs_t
	const tmpfs = 0x01021994
	return syscall.Statfs(dir, &fs) == nil && fs.Type != tmpfs && fs.Type != 0x858458f6 // ramfs
}

// What a killed agent has left in its groups is ended when the next one starts there.
func TestGroupsOfADeadAgentAreEnded(t *testing.T) {
	t.Parallel()
	if groups == nil {
		t.Skip("there are no control groups here")
	}
	dir := filepath.Join(groups.Dir(), "try-99999999-1")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	left := exec.CommandContext(t.Context(), "sleep", "60")
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(left.Process.Pid)), 0); err != nil { //nolint:gosec // the file is there
		t.Fatal(err)
	}
	if _, err := command.OpenGroups(nil); err != nil {
		t.Fatal(err)
	}
	if err := left.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the process ended with %v, want it to be killed", err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the group cannot be removed: %v", err)
	}
}
