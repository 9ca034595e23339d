package command

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"

	trowel "github.com/trowel-project/trowel"
)

// errorWord comes before the number of a system error in Digdag's text (operators 3.2).
const errorWord = "CreateProcess error"

// sessions does not exist on Windows.
type sessions struct{}

// process leads a process group of the console.
type process struct {
	*os.Process

	used trowel.Usage // once it has ended
}

func (*sessions) startProcess(path string, args []string, l *launch) (*process, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close() //nolint:errcheck // nothing is written to it
	started, err := os.StartProcess(path, args, &os.ProcAttr{
		Dir:   l.dir,
		Env:   l.env,
		Files: []*os.File{null, l.out, l.out},
		Sys:   &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP},
	})
	if err != nil {
		return nil, err
	}
	return &process{Process: started}, nil
}

func (p *process) id() int { return p.Pid }

// wait waits for the end of the process and returns its exit code.
func (p *process) wait() (exit int, err error) {
	state, err := p.Wait()
	if err != nil {
		return 0, err
	}
	p.used.CPUTime = state.UserTime() + state.SystemTime()
	return state.ExitCode(), nil
}

// tryWait never reports an end, so all processes left behind are waited for.
func (p *process) tryWait() (exit int, ended bool, err error) { return 0, false, nil }

// terminate sends Ctrl-Break to the group.
func (p *process) terminate() {
	windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.Pid)) //nolint:errcheck,gosec // the kill follows
}

// kill ends the process and all that it has started.
func (p *process) kill() {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() //nolint:errcheck,gosec,noctx // it may have ended
	p.Process.Kill()                                                        //nolint:errcheck,gosec // as above
}

// sessionAlive is always false: the group is unknown once its leader has ended.
func (p *process) sessionAlive() bool { return false }

// groupAlive is always false, for the same reason.
func (p *process) groupAlive() bool { return false }
