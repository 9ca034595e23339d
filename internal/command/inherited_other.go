//go:build unix && !linux

package command

// dropInherited keeps from commands what this process got from whoever started it and would pass on.
func dropInherited() { closeInherited() }
