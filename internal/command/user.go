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

// User is a user that commands run as, other than the user of this process. Commands cannot reach what belongs to this
// process only.
type User struct {
	Name     string // the number as text if it has no name
	Home     string // absolute; "/" if unknown
	UID, GID uint32
	Groups   []uint32 // supplementary groups; those of this process are not added
}

// Environment returns the part of this process's environment that commands of the user get, with their own HOME, USER
// and LOGNAME. The rest is left out, because it may have passwords and tokens.
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

// handOver gives a directory with all files to the user. So far only this process had access, so nobody can have
// replaced anything in it; a directory that others can reach is refused. It is done once: what is the user's already stays
// as it is.
func (u *User) handOver(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if info.IsDir() && info.Mode().Perm()&0o077 == 0 && u.owns(info) {
		return nil
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
	return u.own(dir) // last, because from now on the user has access
}

// own gives one file to the user; a link itself and not its target.
func (u *User) own(path string) error { return os.Lchown(path, int(u.UID), int(u.GID)) }

// maxLeftBytes is the largest file that ReadFile reads.
const maxLeftBytes = 32 << 20

// ReadFile reads a plain file in the directory of an ended command, at most 32 MiB. It does not block if the command has
// left something else there, such as a pipe. If commands run as another user, the file must belong to that user only: no
// link, and no file that has another name elsewhere. Of a container the file may belong to anybody. A missing file is an
// fs.ErrNotExist.
func (s *Status) ReadFile(project, name string) (data []byte, err error) {
	path := filepath.Join(filepath.FromSlash(s.IODir), name)
	var file *os.File
	if s.Owner == nil && !s.Foreign {
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
	case s.Foreign && !hasOneName(info):
		return nil, fmt.Errorf("%s has another name elsewhere", name)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no plain file", name)
	}
	data, err = io.ReadAll(io.LimitReader(file, maxLeftBytes+1))
	if err == nil && len(data) > maxLeftBytes {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxLeftBytes>>20)
	}
	return data, err
}

// openWithin opens a file that must be in a directory, even if there are links.
func openWithin(dir, path string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // was only looked up in
	return root.OpenFile(path, os.O_RDONLY|openAtOnce|openNoLink, 0)
}
