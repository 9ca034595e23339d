//go:build unix

package notify

import (
	"os/exec"
	"syscall"
)

const shell = "/bin/sh" // operators 2.11

// ownGroup makes the command the leader of a process group, which is killed as a whole.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
