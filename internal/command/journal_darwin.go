package command

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// bootID identifies this boot of the machine.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil || id == "" {
		return "unknown"
	}
	return id
}

// processStart is when a process began, in microseconds.
func processStart(pid int) (int64, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	return info.Proc.P_starttime.Sec*1_000_000 + int64(info.Proc.P_starttime.Usec), nil
}

// kill kills the groups whose first process is the noted one, and returns how many there are. It finds the other
// processes of a group, but not those that have left it.
func (l *leftBehind) kill() (n int) {
	for pid, noted := range l.sessions {
		if started, err := processStart(pid); err == nil && started == noted && syscall.Kill(-pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}
