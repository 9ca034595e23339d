package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// probeBytes is how much a probe writes, which is more than the last free blocks of a full disk.
const probeBytes = 1 << 20

// RoomError says that this machine cannot store the files of tries: the disk is full, or nothing can be
// written there at all. That is not the task's fault.
type RoomError struct {
	Dir string // below which the files of tries are
	Err error
}

// Error implements error.
func (e *RoomError) Error() string {
	return fmt.Sprintf("files of tasks cannot be written below %s: %v", e.Dir, e.Err)
}

// Unwrap returns the error of the system.
func (e *RoomError) Unwrap() error { return e.Err }

// Room returns err as a *RoomError, or nil for other errors. An error of the system about files of a
// workspace is one if the disk is full, or if Probe fails too.
func (w *Workspaces) Room(err error) *RoomError {
	if room, ok := errors.AsType[*RoomError](err); ok {
		return room
	}
	if isBelowFolder(failedPath(err), w.place) {
		return w.lack(err)
	}
	return nil
}

// room returns an error that occurred while a workspace was made as a *RoomError if it is one. Unpack names its
// files as the archive does.
func (w *Workspaces) room(err error) error {
	if _, known := errors.AsType[*RoomError](err); known {
		return err
	}
	path := failedPath(err)
	if path == "" || filepath.IsAbs(path) && !isBelowFolder(path, w.place) {
		return err
	}
	if lack := w.lack(err); lack != nil {
		return lack
	}
	return err
}

// lack returns the *RoomError for an error about one of the files, or nil if there is room for it.
func (w *Workspaces) lack(err error) *RoomError {
	if isFull(err) || w.Probe() != nil {
		return &RoomError{Dir: w.place, Err: err}
	}
	return nil
}

// Probe tries to write a file where tries have theirs, and returns why that failed.
func (w *Workspaces) Probe() (err error) {
	if err := w.makeWork(); err != nil {
		return err
	}
	file, err := os.CreateTemp(w.work, ".probe-*")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, probeBytes))
	if err == nil {
		err = file.Sync() // some file systems only report a full disk here
	}
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// failedPath returns the path in an error of the system, or the last one if it has two.
func failedPath(err error) string {
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.New
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Path
	}
	return ""
}

// isBelowFolder reports whether a path is a folder or below it.
func isBelowFolder(path, folder string) bool {
	rest, found := strings.CutPrefix(path, folder)
	return found && (rest == "" || os.IsPathSeparator(rest[0]))
}
