//go:build linux

package docker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/builtin"
	"github.com/trowel-project/trowel/internal/command/commandtest"
	"github.com/trowel-project/trowel/internal/command/docker"
	"github.com/trowel-project/trowel/internal/command/docker/dockertest"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/operator/operatortest"
	"github.com/trowel-project/trowel/internal/param"
)

// A command that uses more memory than it may has ended because of that; one that fails for another reason has not.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	engine := dockertest.Start(t)
	s := subject(engine)
	for script, exceeded := range map[string]bool{"tail /dev/zero": true, "exit 137": false} {
		r := commandtest.NewRequest(t, s, script)
		r.Limits = command.Limits{Memory: 32 << 20, CPU: 1, PIDs: 100}
		status, err := s.Executor.Run(t.Context(), r)
		if err != nil || (status.Exceeded != nil) != exceeded || status.ExitCode == 0 {
			t.Errorf("%s: %+v, %v, want a limit exceeded: %v", script, status, err, exceeded)
		}
		if exceeded && (status.Exceeded.Kind != command.LimitMemory || status.Exceeded.Limit != 32<<20) {
			t.Errorf("%s: %+v, want the limit of memory", script, status.Exceeded)
		}
		if s.Running(t, &r.Try) {
			t.Errorf("%s: the container is left", script)
		}
	}
}

// What a container uses is measured; and a command that fails as it may have no more processes says so.
func TestUsage(t *testing.T) {
	t.Parallel()
	engine := dockertest.Start(t)
	s := subject(engine)
	r := commandtest.NewRequest(t, s, "dd if=/dev/zero of=/tmp/x bs=1M count=20; n=0; while [ $n -lt 300000 ]; do n=$((n+1)); done; sleep 0.6")
	status, err := s.Executor.Run(t.Context(), r)
	if err != nil || status.ExitCode != 0 {
		t.Fatalf("Run = %+v, %v", status, err)
	}
	if u := status.Usage; u.PeakMemory < 1<<20 || u.PeakMemory > 1<<30 || u.CPUTime < 10*time.Millisecond || u.CPUTime > time.Minute {
		t.Errorf("usage = %+v, want figures of the container", u)
	}
	r = commandtest.NewRequest(t, s, "for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; wait; exit 1")
	r.Limits.PIDs = 5
	status, err = s.Executor.Run(t.Context(), r)
	if err != nil || status.Exceeded == nil || status.Exceeded.Kind != command.LimitPIDs || status.Exceeded.Limit != 5 {
		t.Errorf("too many processes: %+v, %v; output:\n%s", status, err, r.Output)
	}
	if left, err := os.ReadDir(filepath.Join(r.Project, filepath.FromSlash(r.IODir))); err != nil || len(left) != 1 {
		t.Errorf("left in the folder of the command: %v, %v, want the script alone", left, err)
	}
}

// sh> and py> work in a container as in a process, with parameters in and out.
func TestOperators(t *testing.T) {
	t.Parallel()
	engine := dockertest.Start(t).WithPython(t)
	executor, err := builtin.New(builtin.Options{Local: newLocal(engine)})
	if err != nil {
		t.Fatal(err)
	}
	table := operator.Core(operator.Options{})
	run := func(own *param.Map, files map[string]string) (operator.Outcome, string, error) {
		f := operatortest.New(t, table, own)
		f.Inherited.Merge(param.Of("docker", param.Of("image", dockertest.Python)))
		f.Request.Commands = executor
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(f.Project, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		outcome, err := f.Run()
		return outcome, f.Output.String(), err
	}
	const python = "import digdag\ndef add(a, b):\n    print('adding')\n    digdag.env.store({'sum': a + b})\ndef bad():\n    raise ValueError('no good')\n"
	outcome, output, err := run(param.Of("py>", "tasks.add", "a", 20, "b", 22), map[string]string{"tasks.py": python})
	if err != nil || output != "adding\n" {
		t.Errorf("py> = %v, output %q", err, output)
	}
	if diff := cmp.Diff(`{"sum":42}`, param.JSON(outcome.Result.Store)); diff != "" {
		t.Errorf("stored parameters (-want +got):\n%s", diff)
	}
	_, _, err = run(param.Of("py>", "tasks.bad"), map[string]string{"tasks.py": python})
	if err == nil || !strings.HasPrefix(err.Error(), "Python command failed with code 1\nError messages from python: no good (ValueError)") {
		t.Errorf("py> of a function that fails = %v", err)
	}
	_, output, err = run(param.Of("sh>", "echo $word $other; hostname | grep -c .", "word", "first", "_env", param.Of("other", "secret ${secret:key}")), nil)
	if err != nil || output != "first secret <key>\n1\n" {
		t.Errorf("sh> = %v, output %q", err, output)
	}
	_, output, err = run(param.Of("sh>", "exit 3", "docker", param.Of("image", dockertest.Busybox)), nil)
	if operatortest.Message(err) != "Command failed with code 3 (runtime)" {
		t.Errorf("sh> that fails = %v, output %q", err, output)
	}
}

// An image is built once, and a second task uses it.
func TestBuiltImage(t *testing.T) {
	t.Parallel()
	engine := dockertest.Start(t)
	s := subject(engine)
	s.Params = param.Of("docker", param.Of("image", dockertest.Busybox, "build", param.List{"touch /made", "echo two"}))
	var log bytes.Buffer
	for range 2 {
		r := commandtest.NewRequest(t, s, "ls /made")
		r.Log = slog.New(slog.NewTextHandler(&log, nil))
		if status, err := s.Executor.Run(t.Context(), r); err != nil || status.ExitCode != 0 {
			t.Fatalf("Run = %+v, %v\n%s", status, err, log.String())
		}
	}
	if got := strings.Count(log.String(), "Successfully tagged"); got != 1 {
		t.Errorf("the image was built %d times, want once:\n%s", got, log.String())
	}
}

// A client that is killed with the machine's last signal leaves no container.
func TestClientIsKilled(t *testing.T) {
	t.Parallel()
	engine := dockertest.Start(t)
	s := subject(engine)
	r := commandtest.NewRequest(t, s, "sleep 600")
	out := &commandtest.Output{}
	r.Output = out
	r.Args = []string{"/bin/sh", "-c", "echo begun; sleep 600"}
	ended := make(chan command.Status, 1)
	go func() {
		status, err := s.Executor.Run(t.Context(), r)
		if err != nil {
			t.Error(err)
		}
		ended <- status
	}()
	select {
	case <-out.Has("begun"):
	case <-time.After(time.Minute):
		t.Fatal("the command does not begin")
	}
	pids := clientsOf(t, &r.Try)
	for _, process := range pids {
		if err := process.Kill(); err != nil {
			t.Error(err)
		}
	}
	select {
	case status := <-ended:
		if len(pids) != 1 || status.ExitCode != 137 {
			t.Errorf("killed %d clients, exit code %d, want one and 137", len(pids), status.ExitCode)
		}
	case <-time.After(time.Minute):
		t.Fatal("the command does not end")
	}
	if s.Running(t, &r.Try) {
		t.Error("the container outlived its client")
	}
}

// clientsOf returns the processes of clients that run a try.
func clientsOf(t *testing.T, try *command.Try) (found []*os.Process) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(line, []byte("\x00trowel.try="+try.ID()+"\x00")) {
			continue
		}
		var pid int
		if _, err := fmt.Sscan(filepath.Base(filepath.Dir(path)), &pid); err != nil {
			t.Fatal(err)
		}
		process, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, process)
	}
	return found
}

// With agent.command.user the client runs as that user, who needs the right to use the engine, and files of the container
// are read whoever owns them.
func TestCommandUser(t *testing.T) {
	t.Parallel()
	engine := dockertest.Start(t)
	user, err := command.FindUser("nobody", "docker")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("it takes root and a group docker")
	}
	s := subject(engine)
	run := func(local *command.Local, script string) (*command.Request, command.Status, error) {
		r := commandtest.NewRequest(t, s, script)
		parent, err := os.MkdirTemp("", "trowel-user-*") //nolint:usetesting // others must pass through
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(parent) })
		project := filepath.Join(parent, "project")
		if err := errors.Join(os.Chmod(parent, 0o711), os.Mkdir(project, 0o700), os.CopyFS(project, os.DirFS(r.Project))); err != nil { //nolint:gosec // others pass
			t.Fatal(err)
		}
		r.Project = project
		status, err := docker.New(docker.Options{Local: local}).Run(t.Context(), r)
		return r, status, err
	}
	local := command.NewLocal(command.LocalOptions{Env: engine.Environ(), User: user})
	r, status, err := run(local, `echo written > "${0%/*}/output"; ln -s /etc/shadow "${0%/*}/link"`)
	if err != nil || status.ExitCode != 0 {
		t.Fatalf("Run = %+v, %v, output:\n%s", status, err, r.Output)
	}
	if got, err := status.ReadFile(r.Project, "output"); err != nil || string(got) != "written\n" {
		t.Errorf("output = %q, %v", got, err)
	}
	if got, err := status.ReadFile(r.Project, "link"); err == nil {
		t.Errorf("a link out of the project was read: %q", got)
	}
	user, err = command.FindUser("nobody", "")
	if err != nil {
		t.Fatal(err)
	}
	local = command.NewLocal(command.LocalOptions{Env: engine.Environ(), User: user})
	if r, status, err := run(local, "true"); err != nil || status.ExitCode == 0 {
		t.Errorf("as a user without the right: %+v, %v, output:\n%s", status, err, r.Output)
	}
}

// The setting agent.command_executor.type chooses the executor.
func TestTypes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for kind, calls := range map[string]int{"": 1, "ecs": 1, "kubernetes": 1, "docker": 1, "simple": 0} {
		executor, err := builtin.New(builtin.Options{Type: kind, Local: f.local})
		if err != nil {
			t.Fatal(err)
		}
		for _, params := range []*param.Map{param.Of("docker", param.Of("image", "x")), param.Of("x", 1)} {
			before := len(f.calls())
			r := commandtest.NewRequest(t, &commandtest.Subject{Params: params}, "echo ran; exit 4")
			r.Log = slog.New(slog.NewTextHandler(&f.log, nil))
			status, err := executor.Run(context.WithoutCancel(t.Context()), r)
			inContainer := params.Has("docker") && calls == 1
			if err != nil || (status.ExitCode == 4) == inContainer {
				t.Errorf("type %q, %s: %+v, %v, want a container: %v (%d calls before)", kind, param.JSON(params), status, err, inContainer, before)
			}
		}
	}
	for line := range strings.Lines(f.log.String()) { // who asks for Kubernetes has to name a cluster
		if !strings.Contains(line, "executor=kubernetes next=docker") {
			t.Errorf("log: %swant nothing where nobody asked for another executor", line)
		}
	}
	if _, err := builtin.New(builtin.Options{Type: "swarm", Local: f.local}); err == nil || err.Error() != "Configured commandExecutor name is not found: swarm" {
		t.Errorf("an unknown type: %v", err)
	}
}
