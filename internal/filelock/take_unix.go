//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Take locks a file for this process until it is closed. If another process has the lock,
// it returns ErrTaken.
func Take(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // descriptors are small
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrTaken
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
