package archive

// checkOwner does nothing: on Windows each user has a folder of his own for temporary files.
func checkOwner(string) error { return nil }
