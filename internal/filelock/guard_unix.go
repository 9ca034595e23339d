//go:build unix

package filelock

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Guard keeps programs that clean folders of temporary files, such as systemd-tmpfiles, away from a folder
// and its content until it is closed (tmpfiles.d(5)). Several processes may guard a folder.
func Guard(dir string) (io.Closer, error) {
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil { //nolint:gosec // descriptors are small
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
