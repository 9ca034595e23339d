package docker_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/command/docker"
	"github.com/trowel-project/trowel/internal/command/docker/dockertest"
	"github.com/trowel-project/trowel/internal/param"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	engine := dockertest.Start(t)
	commandtest.Run(t, func(testing.TB) *commandtest.Subject { return subject(engine) })
}

// subject is an executor with a real engine.
func subject(engine *dockertest.Engine) *commandtest.Subject {
	containers := func(tb testing.TB, try *command.Try) []string {
		tb.Helper()
		ids, err := engine.Containers(tb.Context(), "trowel.try="+try.ID())
		if err != nil {
			tb.Fatal(err)
		}
		return ids
	}
	return &commandtest.Subject{
		Executor: docker.New(docker.Options{Local: newLocal(engine)}),
		Params:   param.Of("docker", param.Of("image", dockertest.Busybox)),
		Running:  func(tb testing.TB, try *command.Try) bool { tb.Helper(); return len(containers(tb, try)) > 0 },
		Lose: func(tb testing.TB, try *command.Try) {
			tb.Helper()
			for _, id := range containers(tb, try) {
				if _, err := engine.Docker(tb.Context(), "kill", id); err != nil {
					tb.Fatal(err)
				}
			}
		},
		Abandon: func(tb testing.TB, r *command.Request) { tb.Helper(); abandon(tb, engine, r) },
	}
}

func newLocal(engine *dockertest.Engine) *command.Local {
	return command.NewLocal(command.LocalOptions{Env: engine.Environ()})
}

// Variables of the process that abandon starts.
const (
	envAbandon = "TROWEL_ABANDON"
	envProject = "TROWEL_ABANDON_PROJECT"
	envTry     = "TROWEL_ABANDON_TASK"
)

// abandon runs a request in a process that is killed, and then removes what that has left.
func abandon(tb testing.TB, engine *dockertest.Engine, r *command.Request) {
	tb.Helper()
	place := tb.TempDir()
	server := exec.CommandContext(tb.Context(), os.Args[0], "-test.run", "^TestAbandonedProcess$")
	server.Env = append(engine.Environ(), envAbandon+"="+place, envProject+"="+r.Project, envTry+"="+r.Try.ID())
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err == nil {
		_, err = io.ReadFull(out, make([]byte, len("begun\n")))
	}
	if err != nil {
		tb.Fatal(err)
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	log := slog.New(slog.DiscardHandler)
	if err := command.EndLeft(tb.Context(), filepath.Join(place, "processes"), log); err != nil {
		tb.Fatal(err)
	}
	left, err := docker.EndLeft(tb.Context(), filepath.Join(place, "containers"), newLocal(engine), log)
	if err != nil || len(left) > 0 {
		tb.Errorf("EndLeft = %v, %v, want nothing left", left, err)
	}
}

// TestAbandonedProcess is the process of abandon.
func TestAbandonedProcess(t *testing.T) {
	t.Parallel()
	place := os.Getenv(envAbandon)
	if place == "" {
		t.Skip("not the process of another test")
	}
	processes, err := command.OpenJournal(filepath.Join(place, "processes"), nil)
	if err != nil {
		t.Fatal(err)
	}
	local := command.NewLocal(command.LocalOptions{Env: os.Environ(), Journal: processes})
	containers, err := docker.OpenJournal(t.Context(), filepath.Join(place, "containers"), nil, local, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	executor := docker.New(docker.Options{Local: local, Journal: containers})
	_, err = executor.Run(t.Context(), &command.Request{
		Project: os.Getenv(envProject), WorkDir: ".", IODir: ".digdag/tmp/digdag-sh-7-1", Args: []string{"/bin/sh", ".digdag/tmp/digdag-sh-7-1/runner.sh"},
		Params: param.Of("docker", param.Of("image", dockertest.Busybox)), Try: tryOf(os.Getenv(envTry)), Output: os.Stdout,
	})
	t.Fatal(err)
}

// tryOf returns a try with an id.
func tryOf(id string) (try command.Try) {
	if _, err := fmt.Sscanf(id, "%d-%d", &try.Task, &try.Number); err != nil {
		panic(err)
	}
	return try
}
