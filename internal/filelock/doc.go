// Package filelock takes locks of files, by which processes on one machine keep out of each other's way.
// The system lets go of a lock when its process ends, however it does.
package filelock

import "errors"

// ErrTaken says that another process has the lock.
var ErrTaken = errors.New("another process has the lock")
