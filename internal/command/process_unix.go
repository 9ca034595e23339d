//go:build unix

package command

import (
	"errors"
	"os"
	"syscall"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// errorWord comes before the number of a system error in Digdag's text (operators 3.2).
const errorWord = "error"

// process leads a session and a process group, which both have its id. A group alone is not enough, because timeout(1)
// and shells with job control create their own groups. And without a terminal, a command cannot wait for somebody to
// type.
type process struct {
	pid      int
	sessions *sessions
	used     trowel.Usage // by the process and all that it has waited for, once it has ended
}

// startProcess starts a program with empty input. A file that is no program is run by /bin/sh, as execvp(3) does.
func (s *sessions) startProcess(path string, args []string, l *launch) (*process, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close() //nolint:errcheck // nothing is written to it
	attr := &syscall.ProcAttr{
		Dir:   l.dir,
		Env:   l.env,
		Files: []uintptr{null.Fd(), l.out.Fd(), l.out.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true, Credential: l.user.credential()},
	}
	l.group.join(attr.Sys)
	pid, err := syscall.ForkExec(path, args, attr)
	if errors.Is(err, syscall.ENOEXEC) {
		pid, err = syscall.ForkExec(shell, append([]string{shell, path}, args[1:]...), attr)
	}
	if err != nil {
		return nil, err
	}
	return &process{pid: pid, sessions: s}, nil
}

const shell = "/bin/sh"

func (p *process) id() int { return p.pid }

// wait waits for the end of the process and returns its exit code; 128 + n if signal n ended it.
func (p *process) wait() (exit int, err error) {
	exit, _, err = p.wait4(0)
	return exit, err
}

// tryWait is wait without blocking.
func (p *process) tryWait() (exit int, ended bool, err error) { return p.wait4(syscall.WNOHANG) }

func (p *process) wait4(options int) (exit int, ended bool, err error) {
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		pid, err := syscall.Wait4(p.pid, &status, options, &used)
		if pid == p.pid {
			p.used = usageOf(&used)
		}
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, true, os.NewSyscallError("wait4", err)
		case pid == 0:
			return 0, false, nil
		case status.Signaled():
			return 128 + int(status.Signal()), true, nil
		default:
			return status.ExitStatus(), true, nil
		}
	}
}

// terminate asks all processes of the session to end, kill ends them.
func (p *process) terminate() { p.signal(syscall.SIGTERM) }
func (p *process) kill()      { p.signal(syscall.SIGKILL) }

func (p *process) signal(signal syscall.Signal) {
	groups := p.sessions.groups(p.pid)
	syscall.Kill(-p.pid, signal) //nolint:errcheck,gosec // nobody left is fine
	for _, group := range groups {
		if group != p.pid {
			syscall.Kill(-group, signal) //nolint:errcheck,gosec // as above
		}
	}
}

// sessionAlive reports whether there is a process in the session of a process that has been waited for.
func (p *process) sessionAlive() bool { return p.sessions.alive(p.pid) }

// groupAlive reports the same of the group. It is cheap if the group is empty.
func (p *process) groupAlive() bool {
	return syscall.Kill(-p.pid, 0) == nil && p.sessions.alive(p.pid)
}

// usageOf returns what a process has used. The peak of its memory is not among it: Maxrss begins with that of the process
// which started it.
func usageOf(used *syscall.Rusage) trowel.Usage {
	return trowel.Usage{
		CPUTime: time.Duration(used.Utime.Nano() + used.Stime.Nano()), BytesWritten: bytesWritten(used),
	}
}
