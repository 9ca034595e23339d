package command

// dropInherited does nothing: there are no other users for commands here.
func dropInherited() {}
