package file

import (
	"errors"
	"io/fs"
	"syscall"
)

// isMissing reports whether a file is not there, be it that its folder is none.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
