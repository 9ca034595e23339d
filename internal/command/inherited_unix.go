//go:build unix

package command

import "golang.org/x/sys/unix"

// firstOwn is the first descriptor after input and output, maxInherited the last one that is checked.
const (
	firstOwn     = 3
	maxInherited = 1 << 16
)

// closeInherited keeps commands from inheriting files that this process was started with.
func closeInherited() {
	limit := unix.Rlimit{Cur: maxInherited}
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) // on an error all are tried
	for fd := firstOwn; fd < int(min(limit.Cur, maxInherited)); fd++ {
		unix.CloseOnExec(fd)
	}
}
