package command

import (
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// dropInherited keeps commands from inheriting what this process got from its parent: open files and ambient
// capabilities. Capabilities are lost with a change from root to another user, but not with a change between other
// users. Try finds what could not be dropped.
func dropInherited() {
	if unix.CloseRange(firstOwn, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil { // before Linux 5.11
		closeInherited()
	}
	syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0) //nolint:errcheck // see above
}
