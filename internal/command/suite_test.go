//go:build linux

package command_test

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	commandtest.Run(t, func(testing.TB) *commandtest.Subject {
		return &commandtest.Subject{
			Executor: command.NewLocal(command.LocalOptions{Env: os.Environ()}),
			Running:  func(_ testing.TB, try *command.Try) bool { return len(processesOf(try)) > 0 },
			Lose: func(_ testing.TB, try *command.Try) {
				for _, pid := range processesOf(try) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			},
			Abandon: abandonLocal,
		}
	})
}

// processesOf returns the processes of a try, which have its id in their environment.
func processesOf(try *command.Try) (pids []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		pid, numberErr := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && numberErr == nil && bytes.Contains(environ, []byte(commandtest.TryVariable+"="+try.ID()+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// abandonLocal runs a request in a process that is killed, and then ends what that has left.
func abandonLocal(tb testing.TB, r *command.Request) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "processes")
	server := exec.CommandContext(tb.Context(), os.Args[0], "-test.run", "^TestAbandonedProcess$")
	server.Env = append(os.Environ(), "TROWEL_ABANDON="+path, r.Env[0],
		"TROWEL_ABANDON_TEXT=. "+filepath.Join(r.Project, filepath.FromSlash(r.IODir), "runner.sh"))
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, len("begun\n")))
	}
	if err != nil {
		tb.Fatal(err)
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	if err := command.EndLeft(tb.Context(), path, slog.New(slog.DiscardHandler)); err != nil {
		tb.Fatal(err)
	}
}
