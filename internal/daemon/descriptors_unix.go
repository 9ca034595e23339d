//go:build unix

package daemon

import "golang.org/x/sys/unix"

// descriptors returns how many files this process may have open, or zero if that is not known.
func descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 1<<30 {
		return 0
	}
	return int(limit.Cur) //nolint:gosec // small enough
}
