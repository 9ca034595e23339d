//go:build unix

package command

import "syscall"

// groupExists reports whether there is a process in a group.
func groupExists(pid int) bool { return syscall.Kill(-pid, 0) == nil }
