package command

import (
	"os/exec"
	"strconv"

	"golang.org/x/sys/windows"
)

// bootID is always the same: the start time tells processes apart.
func bootID() string { return "windows" }

// processStart is when a process began, in nanoseconds.
func processStart(pid int) (int64, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid)) //nolint:gosec // ids are small
	if err != nil {
		return 0, err
	}
	defer windows.CloseHandle(process) //nolint:errcheck // was only asked
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, err
	}
	if exited.Nanoseconds() > created.Nanoseconds() {
		return 0, windows.ERROR_NOT_FOUND
	}
	return created.Nanoseconds(), nil
}

// kill ends the noted processes with all that they have started, and returns how many there are.
func (l *leftBehind) kill() (n int) {
	for pid, noted := range l.sessions {
		if started, err := processStart(pid); err == nil && started == noted {
			exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run() //nolint:errcheck,gosec,noctx // it may have ended
			n++
		}
	}
	return n
}

// groupExists is always false: groups cannot be checked on Windows.
func groupExists(int) bool { return false }
