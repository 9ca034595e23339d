package archive

// full is the system's error of a full disk.
func full() error { return errorDiskFull }
