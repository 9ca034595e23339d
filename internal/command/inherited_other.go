//go:build unix && !linux

package command

// dropInherited keeps commands from inheriting open files that this process got from its parent.
func dropInherited() { closeInherited() }
