//go:build unix

package archive

import "syscall"

// full returns the system's error of a full disk.
func full() error { return syscall.ENOSPC }
