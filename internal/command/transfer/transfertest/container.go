//go:build unix

package transfertest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// Container is a command that runs on this machine, in a folder of its own.
type Container struct {
	Dir string

	command *exec.Cmd
	done    chan struct{}

	mu   sync.Mutex
	out  bytes.Buffer
	exit int
}

// Start starts a command with the variables of this process and some of its own.
func Start(tb testing.TB, dir string, env []string, args ...string) *Container {
	tb.Helper()
	c := &Container{Dir: dir, done: make(chan struct{})}
	c.command = exec.Command(args[0], args[1:]...) // Kill ends it
	c.command.Dir, c.command.Env = dir, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	c.command.Stdout, c.command.Stderr = c, c
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.command.Start(); err != nil {
		c.exit = 128
		_, _ = c.Write([]byte(err.Error() + "\n"))
		close(c.done)
		return c
	}
	tb.Cleanup(c.Kill)
	go func() {
		defer close(c.done)
		err := c.command.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.exit = c.command.ProcessState.ExitCode()
		if status, ok := errors.AsType[*exec.ExitError](err); ok && c.exit < 0 {
			if wait, ok := status.Sys().(syscall.WaitStatus); ok {
				c.exit = 128 + int(wait.Signal())
			}
		}
	}()
	return c
}

// Write implements io.Writer for the output of the command.
func (c *Container) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(p)
}

// Output returns what the command has printed.
func (c *Container) Output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

// Ended reports whether the command has ended, and its exit code.
func (c *Container) Ended() (exit int, ended bool) {
	select {
	case <-c.done:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.exit, true
	default:
		return 0, false
	}
}

// Kill ends the command with all its processes.
func (c *Container) Kill() {
	if c.command.Process != nil {
		_ = syscall.Kill(-c.command.Process.Pid, syscall.SIGKILL)
	}
	<-c.done
}
