package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// User is another user than that of this process, whom commands run as: what belongs to this process
// alone is out of their reach.
type User struct {
	Name     string // the number as text where it has no name
	Home     string // absolute; "/" where it is not known
	UID, GID uint32
	Groups   []uint32 // supplementary ones; none is none, not those of this process
}

// Environment returns what commands of the user get of the environment of this process, and their own
// HOME, USER and LOGNAME. The rest stays here, as there may be passwords and tokens in it.
func (u *User) Environment(environ []string) []string {
	own := []string{"HOME=" + u.Home, "USER=" + u.Name, "LOGNAME=" + u.Name}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains([]string{"PATH", "LANG", "LANGUAGE", "TZ", markName}, name) || strings.HasPrefix(name, "LC_") {
			own = append(own, entry)
		}
	}
	return own
}

// handOver gives a folder and all that is in it to the user. It was this process's alone until now, so
// nobody can put something else in the place of what is given away; a folder that others reach is
// refused. It is done once.
func (u *User) handOver(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !ownedByUs(info) {
		return fmt.Errorf("%s is not a folder of this process alone, so it cannot be given to the user %q", dir, u.Name)
	}
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		return u.own(path)
	})
	if err != nil {
		return err
	}
	return u.own(dir) // at last: from here on the user reaches it
}

// own gives one file to the user; of a link, the link itself.
func (u *User) own(path string) error { return os.Lchown(path, int(u.UID), int(u.GID)) }

// maxLeftBytes is how large a file may be that ReadFile reads.
const maxLeftBytes = 32 << 20

// ReadFile reads a plain file in the folder of a finished command, at most 32 MiB; it does not wait for what the
// command may have left in its place, as a pipe. Of another user only a file that is that user's alone is read:
// no link, and nothing that stands elsewhere under another name. A file that is missing is an fs.ErrNotExist.
func (s *Status) ReadFile(project, name string) (data []byte, err error) {
	path := filepath.Join(filepath.FromSlash(s.IODir), name)
	var file *os.File
	if s.Owner == nil {
		file, err = os.OpenFile(filepath.Join(project, path), os.O_RDONLY|openAtOnce, 0)
	} else {
		file, err = openWithin(project, path)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case s.Owner != nil && (!info.Mode().IsRegular() || !s.Owner.ownsAlone(info)):
		return nil, fmt.Errorf("%s is not a file that the user %q has made", name, s.Owner.Name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no plain file", name)
	}
	data, err = io.ReadAll(io.LimitReader(file, maxLeftBytes+1))
	if err == nil && len(data) > maxLeftBytes {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxLeftBytes>>20)
	}
	return data, err
}

// openWithin opens a file that is in a folder, whatever links there are.
func openWithin(dir, path string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // was only looked up in
	return root.OpenFile(path, os.O_RDONLY|openAtOnce|openNoLink, 0)
}
