package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// probeBytes is how much a probe writes: more than the last blocks that a full disk may have left.
const probeBytes = 1 << 20

// RoomError says that this machine cannot lay out the files of tries: the disk is full, or nothing can be
// written there at all. That is not the fault of a task.
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

// Room returns the *RoomError that an error is, nil for other errors. Those of the system about files of a
// workspace are one if the disk is full, or if Probe fails too.
func (w *Workspaces) Room(err error) *RoomError {
	if room, ok := errors.AsType[*RoomError](err); ok {
		return room
	}
	if isBelowFolder(failedPath(err), w.place) {
		return w.lack(err)
	}
	return nil
}

// room makes an error that laying out a workspace has led to a *RoomError if it is one. Unpack names its
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

// lack is the *RoomError of an error about one of the files, nil if there is room for it.
func (w *Workspaces) lack(err error) *RoomError {
	if isFull(err) || w.Probe() != nil {
		return &RoomError{Dir: w.place, Err: err}
	}
	return nil
}

// Probe tries whether files of tries can be written, and returns why not.
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
		err = file.Sync() // some file systems tell only then
	}
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// failedPath is the path of which an error of the system tells, or the last of two.
func failedPath(err error) string {
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.New
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Path
	}
	return ""
}

// isBelowFolder reports whether a path is that of a folder, or below it.
func isBelowFolder(path, folder string) bool {
	rest, found := strings.CutPrefix(path, folder)
	return found && (rest == "" || os.IsPathSeparator(rest[0]))
}
