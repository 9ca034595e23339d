//go:build unix && !linux

package command

import "syscall"

// sessions has no process groups here besides that of the command itself, which is always signalled.
type sessions struct{}

func (*sessions) groups(int) []int { return nil }

// alive reports whether the first group of a session has a process.
func (*sessions) alive(session int) bool { return syscall.Kill(-session, 0) == nil }

// join does nothing: there are no groups here.
func (*group) join(*syscall.SysProcAttr) {}

// bytesWritten is zero: what the system counts are operations.
func bytesWritten(*syscall.Rusage) int64 { return 0 }
