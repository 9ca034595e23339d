package archive

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// maxRemoval is how long the removal of a folder goes on while others still write to it.
const maxRemoval = 10 * time.Minute

// removeTree removes a folder, even if folders in it are closed to their owner. Others may still
// write there, but nothing outside of it is changed, whatever links they make.
func removeTree(path string) error { return removeUntil(path, time.Now().Add(maxRemoval)) }

func removeUntil(path string, deadline time.Time) error {
	err := os.Remove(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, statErr := os.Lstat(path); statErr != nil || !info.IsDir() {
		return err
	}
	if err := os.Chmod(path, ownerFolder); err != nil { //nolint:gosec // to remove it
		return err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	r := &removal{root: root, deadline: deadline}
	if err := errors.Join(r.empty(".", r.removeChild), root.Close()); err != nil {
		return err
	}
	return os.Remove(path)
}

// removal empties a folder. Folders inside folders are moved up to it, and emptied one by one. So a task may make
// them deeper than a process can have files open, or than a path can be long.
type removal struct {
	root     *os.Root
	deadline time.Time
}

// removeBatch is how many names of a folder are read at a time.
const removeBatch = 1024

// empty calls remove for the content of a folder, until it is empty or nothing more can be removed.
func (r *removal) empty(folder string, remove func(name string) error) error {
	for again := false; ; {
		names, err := r.list(folder)
		if err != nil || len(names) == 0 {
			return err
		}
		if again && time.Now().After(r.deadline) {
			return fmt.Errorf("remove %s: there is still something in it after %v; it may be written to", r.root.Name(), maxRemoval)
		}
		again = true
		var first error
		gone := 0
		for _, name := range names {
			switch err := remove(path.Join(folder, name)); {
			case err == nil:
				gone++
			case first == nil:
				first = err
			}
		}
		if gone == 0 {
			return first
		}
	}
}

// list returns names in a folder. A task may have replaced the folder meanwhile.
func (r *removal) list(folder string) (names []string, err error) {
	file, err := r.root.OpenFile(folder, os.O_RDONLY|onlyFolder, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	names, err = file.Readdirnames(removeBatch)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}

// removeChild removes an entry of the folder itself.
func (r *removal) removeChild(name string) error {
	isFolder, err := r.remove(name)
	if !isFolder {
		return err
	}
	if err := r.root.Chmod(name, ownerFolder); err != nil {
		return err
	}
	if err := r.empty(name, r.moveUp); err != nil {
		return err
	}
	_, err = r.remove(name)
	return err
}

// moveUp removes an entry of a folder inside the folder, or moves it up if it is a folder, too.
func (r *removal) moveUp(name string) error {
	isFolder, err := r.remove(name)
	if !isFolder {
		return err
	}
	up := rand.Text() // a name that nobody can have taken
	err = r.root.Rename(name, up)
	if errors.Is(err, fs.ErrPermission) && r.root.Chmod(name, ownerFolder) == nil {
		err = r.root.Rename(name, up)
	}
	return err
}

// remove removes a file or an empty folder. isFolder is set if it is a folder that is still there.
func (r *removal) remove(name string) (isFolder bool, err error) {
	err = r.root.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	info, statErr := r.root.Lstat(name)
	return statErr == nil && info.IsDir(), err
}
