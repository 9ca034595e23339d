package command

// dropInherited does nothing: commands never run as another user on Windows.
func dropInherited() {}
