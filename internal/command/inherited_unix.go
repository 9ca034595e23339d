//go:build unix

package command

import "golang.org/x/sys/unix"

// firstOwn is the first descriptor that is neither input nor output, maxInherited the last one that is
// looked for.
const (
	firstOwn     = 3
	maxInherited = 1 << 16
)

// closeInherited keeps files that this process got open from being open in commands.
func closeInherited() {
	limit := unix.Rlimit{Cur: maxInherited}
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) // else all are tried
	for fd := firstOwn; fd < int(min(limit.Cur, maxInherited)); fd++ {
		unix.CloseOnExec(fd)
	}
}
