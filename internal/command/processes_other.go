//go:build !linux

package command

// canLook is false: only disk is a limit that is kept here.
const canLook = false

// tree is not known here.
type tree struct{}

// processTable does nothing here.
type processTable struct{}

func (*processTable) look([]*supervision, string) {}
func (*processTable) kill(*supervision) int       { return 0 }
func (*processTable) escaped(*supervision) bool   { return false }
func (*processTable) forget()                     {}

// lookQuickly measures nothing here.
func lookQuickly(int) int64 { return 0 }
