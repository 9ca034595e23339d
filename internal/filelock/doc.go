// Package filelock locks files, so that processes on one machine do not get into each other's way.
// The system releases a lock when its process ends, however that happens.
package filelock

import "errors"

// ErrTaken says that another process has the lock.
var ErrTaken = errors.New("another process has the lock")
