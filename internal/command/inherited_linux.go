package command

import (
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// dropInherited keeps from commands what this process got from whoever started it and would pass on: open
// files, and ambient capabilities. Those are gone with a change from root, but not with one from
// another user. What could not be dropped is found by Try.
func dropInherited() {
	if unix.CloseRange(firstOwn, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil { // before Linux 5.11
		closeInherited()
	}
	syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0) //nolint:errcheck // see above
}
