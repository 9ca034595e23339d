//go:build !linux

package command

// sessions knows the process groups of sessions; here none but that of the command itself, which is
// always signalled.
type sessions struct{}

func (*sessions) groups(int) []int { return nil }
