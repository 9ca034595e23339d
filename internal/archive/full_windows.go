package archive

import (
	"errors"
	"syscall"
)

// Errors of Windows.
const (
	errorHandleDiskFull    = syscall.Errno(39)
	errorDiskFull          = syscall.Errno(112)
	errorDiskQuotaExceeded = syscall.Errno(1295)
)

// isFull reports whether an error says that a disk, or the user's share of it, is full.
func isFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull) || errors.Is(err, errorDiskQuotaExceeded)
}
