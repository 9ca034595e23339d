package operator

import "io/fs"

// hasOneName is false here, as it is not known, so no folder is used again.
func hasOneName(fs.FileInfo) bool { return false }
