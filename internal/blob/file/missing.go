package file

import (
	"errors"
	"io/fs"
	"syscall"
)

// isMissing reports whether a file does not exist, for example because its folder is not a folder.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
