package dockertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Env names an engine for tests, as DOCKER_HOST does. Without it they start one themselves, which needs root.
const Env = "TROWEL_TEST_DOCKER"

// Images that an Engine has.
const (
	Busybox = "trowel-test/busybox:1" // a shell and some programs, without bash
	Python  = "trowel-test/python:1"  // bash, the programs of Busybox, and Python 3 as python and python3
)

// ErrMissing says that this machine has no engine.
var ErrMissing = errors.New("there is no Docker engine: as root, make setup installs it; or TROWEL_TEST_DOCKER names one")

// Engine is a Docker engine for tests. It ends when this process ends, however that happens.
type Engine struct {
	Host   string // for DOCKER_HOST
	Client string // path of the client

	dir    string // empty for an engine that was there
	daemon *exec.Cmd
	watch  *exec.Cmd // ends the daemon and removes its files when life is closed
	life   io.Closer

	python sync.Once
	err    error // of making the image Python
}

// common is the engine that the tests of a package share.
type common struct {
	once   sync.Once
	engine *Engine
	err    error
}

var shared common

// Main runs the tests of a package, and stops the engine that they shared. It returns the exit code.
func Main(m *testing.M) int {
	code := m.Run()
	if shared.engine != nil {
		if err := shared.engine.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "end the Docker engine:", err)
			return max(code, 1)
		}
	}
	return code
}

// Start returns the engine that the tests of a package share, with the image Busybox. Without one the test is skipped, except
// in CI, where it fails.
func Start(tb testing.TB) *Engine {
	tb.Helper()
	shared.once.Do(func() { shared.engine, shared.err = New(context.WithoutCancel(tb.Context())) })
	check(tb, shared.err)
	return shared.engine
}

// Own is Start for a test with an engine of its own.
func Own(tb testing.TB) *Engine {
	tb.Helper()
	engine, err := New(context.WithoutCancel(tb.Context()))
	check(tb, err)
	tb.Cleanup(func() {
		if err := engine.Close(); err != nil {
			tb.Errorf("end the Docker engine: %v", err)
		}
	})
	return engine
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") != "true" {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// WithPython makes the image Python.
func (e *Engine) WithPython(tb testing.TB) *Engine {
	tb.Helper()
	e.python.Do(func() { e.err = e.importPython(context.WithoutCancel(tb.Context())) })
	if e.err != nil {
		tb.Fatal(e.err)
	}
	return e
}

// New returns an engine with the image Busybox.
func New(ctx context.Context) (*Engine, error) {
	client, err := find("docker")
	if err != nil {
		return nil, err
	}
	e := &Engine{Host: os.Getenv(Env), Client: client}
	if e.Host == "" {
		if err := e.start(ctx); err != nil {
			return nil, err
		}
	}
	if err := e.importBusybox(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// find returns the path of a program; Debian's first, whose client fits to its engine.
func find(name string) (string, error) {
	for _, dir := range []string{"/usr/bin", "/usr/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", ErrMissing
	}
	return path, nil
}

const patience = time.Minute

// start starts an engine with folders and a socket of its own, in a network of its own: an engine would share, or remove, the
// bridge docker0 of another one.
func (e *Engine) start(ctx context.Context) (err error) {
	program, err := find("dockerd")
	if err != nil || os.Geteuid() != 0 {
		return ErrMissing
	}
	if e.dir, err = os.MkdirTemp("", "trowel-docker-"); err != nil {
		return err
	}
	if err := os.Chmod(e.dir, 0o711); err != nil { //nolint:gosec // who belongs to the group docker may use the engine
		return errors.Join(err, os.RemoveAll(e.dir))
	}
	e.Host = "unix://" + filepath.Join(e.dir, "socket")
	pid := filepath.Join(e.dir, "pid")
	e.watch = exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", endDaemon, e.dir, pid)
	if e.life, err = e.watch.StdinPipe(); err == nil {
		err = e.watch.Start()
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(e.dir))
	}
	log, err := os.Create(filepath.Join(e.dir, "log"))
	if err != nil {
		return errors.Join(err, e.Close())
	}
	defer log.Close() //nolint:errcheck // the daemon has its own
	e.daemon = exec.CommandContext(context.WithoutCancel(ctx), "unshare", "--net", program, "--data-root", filepath.Join(e.dir, "data"),
		"--exec-root", filepath.Join(e.dir, "exec"), "--pidfile", pid, "-H", e.Host)
	e.daemon.Stdout, e.daemon.Stderr = log, log
	if err := e.daemon.Start(); err != nil {
		return errors.Join(err, e.Close())
	}
	go e.daemon.Wait() //nolint:errcheck // how it ends does not matter
	for deadline := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		_, err := e.Docker(ctx, "version")
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(log.Name())
			return errors.Join(fmt.Errorf("start dockerd: %w\n%s", err, text), e.Close())
		}
	}
}

// endDaemon waits until its input is closed. Then it ends the daemon and removes its files, whose mounts may last a moment.
const endDaemon = `trap '' INT TERM HUP; cat >/dev/null
[ ! -s "$1" ] || { pid=$(cat "$1"); kill "$pid"; n=0; while kill -0 "$pid" 2>/dev/null && [ $n -lt 150 ]; do sleep 0.1; n=$((n+1)); done; kill -9 "$pid" 2>/dev/null; }
n=0; until rm -rf "$0" 2>/dev/null || [ $n -ge 20 ]; do sleep 0.1; n=$((n+1)); done`

// Close stops the engine and removes its files, if New has started it.
func (e *Engine) Close() error {
	if e.dir == "" {
		return nil
	}
	return errors.Join(e.life.Close(), e.watch.Wait())
}

// Command returns a call of the client.
func (e *Engine) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.Client, args...)
	cmd.Env = e.Environ()
	return cmd
}

// Environ returns the environment of this process, in which the client finds the engine and a docker on the PATH is Client.
func (e *Engine) Environ() []string {
	return append(os.Environ(), "DOCKER_HOST="+e.Host, "PATH="+e.Path())
}

// Path returns the PATH of Environ.
func (e *Engine) Path() string { return filepath.Dir(e.Client) + ":" + os.Getenv("PATH") }

// Docker calls the client and returns what it prints.
func (e *Engine) Docker(ctx context.Context, args ...string) (string, error) {
	out, err := e.Command(ctx, args...).CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("docker %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// Containers returns the ids of all containers with a label, "trowel.try=7-1", also of those that have ended.
func (e *Engine) Containers(ctx context.Context, label string) ([]string, error) {
	out, err := e.Docker(ctx, "ps", "-aq", "--filter", "label="+label)
	return strings.Fields(out), err
}
