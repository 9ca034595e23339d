//go:build unix

package archive

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of a file for this process until it is closed. A lock that another process has
// is errTaken. The system lets go of it when the process ends, however it does.
func lock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // descriptors are small
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errTaken
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
