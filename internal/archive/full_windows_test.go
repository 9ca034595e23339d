package archive

// full returns the system's error of a full disk.
func full() error { return errorDiskFull }
