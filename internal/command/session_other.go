//go:build unix && !linux

package command

import "syscall"

// sessions knows the process groups of sessions; here none but that of the command itself, which is
// always signalled.
type sessions struct{}

func (*sessions) groups(int) []int { return nil }

// alive reports whether there is a process in the group that a session began with.
func (*sessions) alive(session int) bool { return syscall.Kill(-session, 0) == nil }
