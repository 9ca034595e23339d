package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// process is a program that is started again and again. One file has the log of all its lives.
type process struct {
	name, bin, dir, mark string
	environment          []string // further variables
	mayDie               bool     // its tasks may kill it

	mu      sync.Mutex
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	exit    error
	logAt   int64 // where the log of this life begins
	stopped bool  // somebody has asked it to end, or killed it
}

// markVariable is in the environment of processes and of everything that they start.
const markVariable = "TROWEL_CHAOS"

// endTime is how long a process may take to end when it is asked to, without longer tasks.
const endTime = time.Minute

func (p *process) path(name string) string { return filepath.Join(p.dir, name) }

func (p *process) logFile() string { return p.path(p.name + ".log") }

// launch starts the program with these arguments.
func (p *process) launch(ctx context.Context, args ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	log, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the process has its own
	info, err := log.Stat()
	if err != nil {
		return err
	}
	p.logAt, p.stopped = info.Size(), false
	p.cmd = exec.CommandContext(context.WithoutCancel(ctx), p.bin, args...)
	p.cmd.Env = append(append(os.Environ(), markVariable+"="+p.mark), p.environment...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.ended = make(chan struct{})
	go p.wait(p.cmd, p.ended)
	return nil
}

// wait waits for the end of the process.
func (p *process) wait(cmd *exec.Cmd, ended chan struct{}) {
	err := cmd.Wait()
	p.mu.Lock()
	p.exit = err
	p.mu.Unlock()
	close(ended)
}

// over returns a channel that is closed when the present process has ended, or nil before the first.
func (p *process) over() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// runs reports whether the process runs.
func (p *process) runs() bool {
	over := p.over()
	return over != nil && !isClosed(over)
}

// failed returns how a process ended that nobody had asked to.
func (p *process) failed() error {
	if p.runs() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil
	}
	return fmt.Errorf("the %s has ended by itself: %w\n%s", p.name, p.exit, p.tail())
}

// wasKilled reports whether a signal has ended the process.
func (p *process) wasKilled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	exit, ok := errors.AsType[*exec.ExitError](p.exit)
	return ok && exit.ExitCode() < 0
}

// kill ends the process at once and waits for its end.
func (p *process) kill() error {
	return p.signal(func(o *os.Process) error { return o.Kill() }, true)
}

// stop asks the process to end.
func (p *process) stop() error {
	return p.signal(func(o *os.Process) error { return o.Signal(syscall.SIGTERM) }, false)
}

func (p *process) signal(send func(*os.Process) error, wait bool) error {
	p.mu.Lock()
	p.stopped = true
	process, ended := p.cmd.Process, p.ended
	p.mu.Unlock()
	if err := send(process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	if wait {
		<-ended
	}
	return nil
}

// left waits for the end of the process, which must come soon and without an error.
func (p *process) left(ctx context.Context) error {
	if err := p.gone(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exit != nil {
		return fmt.Errorf("the %s ended with %w\n%s", p.name, p.exit, p.tail())
	}
	return nil
}

// gone waits for the end of the process, whatever its result.
func (p *process) gone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	select {
	case <-p.over():
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("the %s does not end within %s; its goroutines are in %s", p.name, endTime, p.logFile()), p.dump())
	}
}

// dump ends the process with a list of its goroutines in its log.
func (p *process) dump() error {
	return p.signal(func(o *os.Process) error { return o.Signal(syscall.SIGQUIT) }, true)
}

// said returns the log of the present process.
func (p *process) said() string {
	text, err := os.ReadFile(p.logFile())
	if err != nil {
		return err.Error()
	}
	return string(text[min(p.logAt, int64(len(text))):])
}

func (p *process) tail() string {
	text := p.said()
	return "the end of its log:\n" + text[max(0, len(text)-3000):]
}

// present returns the present process.
func (p *process) present() *os.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process
}
