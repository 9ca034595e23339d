package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Unpacked is a file or link that Unpack writes.
type Unpacked struct {
	Name string // slash path from the folder
	Link string // target of a symbolic link; empty for a file
}

// UnpackOptions are the limits of an archive, and who is told about its files.
type UnpackOptions struct {
	// Limits restrict what is written. Zero MaxBytes means 16 GiB, as whoever unpacks an archive trusts it more than
	// whoever receives it.
	Limits Limits
	// Report is called for each file and link, before it is written. Nil for no calls.
	Report func(Unpacked)
	// Below, a slash path, makes Unpack write only what is in that folder, and pass over all other entries. Empty for all.
	Below string
}

const defaultUnpackBytes = 16 << 30

// Permissions that the owner of files always gets, as unreadable files cannot be copied, and the content of
// closed folders cannot be deleted.
const (
	ownerFile   = 0o400
	ownerFolder = 0o700
)

// Unpack writes the files of an archive into a folder, which is made if it is missing (server 4.4).
// It replaces existing files and links. It writes nothing outside of the folder, and makes no link
// that leaves it, directly or through others. An archive with such an entry is a
// trowel.ErrInvalid. After an error the folder has some of the files.
func Unpack(ctx context.Context, from io.Reader, dir string, opts UnpackOptions) (err error) {
	r, err := openStored(from, opts.Limits)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the umask decides
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	u := &unpacking{root: root, reader: r, opts: opts, made: map[string]bool{".": true}, targets: map[string]string{}}
	for {
		e, err := r.following(ctx)
		if errors.Is(err, io.EOF) {
			return u.finish()
		}
		if err == nil {
			err = u.write(e)
		}
		if err != nil {
			return err
		}
	}
}

// unpacking is one call of Unpack. It makes links last, so that nothing is written through them.
type unpacking struct {
	root    *os.Root
	reader  *reader
	opts    UnpackOptions
	made    map[string]bool   // folders
	folders []entry           // those whose permissions are in the archive
	targets map[string]string // of links
	links   []string          // their names in the order of the archive
}

func (u *unpacking) write(e *entry) error {
	if _, err := filepath.Localize(e.name); err != nil {
		return invalid(err, "", textBadEntry, e.raw)
	}
	if u.opts.Below != "" && !strings.HasPrefix(e.name, u.opts.Below+"/") {
		return nil
	}
	switch e.kind {
	case kindFolder:
		u.folders = append(u.folders, *e)
		return u.folder(e.name)
	case kindLink:
		u.report(Unpacked{Name: e.name, Link: e.target})
		if _, again := u.targets[e.name]; !again {
			u.links = append(u.links, e.name)
		}
		u.targets[e.name] = e.target
		return u.folder(path.Dir(e.name))
	case kindFile:
	}
	u.report(Unpacked{Name: e.name})
	delete(u.targets, e.name) // of two entries with one name the last one counts
	return u.file(e)
}

func (u *unpacking) report(file Unpacked) {
	if u.opts.Report != nil {
		u.opts.Report(file)
	}
}

// folder makes a folder and the folders above it.
func (u *unpacking) folder(name string) error {
	if u.made[name] {
		return nil
	}
	if err := u.root.MkdirAll(name, 0o777); err != nil {
		return inTheWay(name, err)
	}
	u.made[name] = true
	return nil
}

// file writes one file. An existing file or link is replaced, not written to.
func (u *unpacking) file(e *entry) error {
	if err := u.folder(path.Dir(e.name)); err != nil {
		return err
	}
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	file, err := u.root.OpenFile(e.name, fresh, e.perm|ownerFile)
	if errors.Is(err, fs.ErrExist) {
		if err = u.root.Remove(e.name); err == nil {
			file, err = u.root.OpenFile(e.name, fresh, e.perm|ownerFile)
		}
	}
	if err != nil {
		return inTheWay(e.name, err)
	}
	_, err = io.Copy(file, u.reader)
	if err == nil && runtime.GOOS != "windows" {
		err = file.Chmod(e.perm | ownerFile) // whatever the umask says
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("unpack %s: %w", e.name, err)
	}
	return nil
}

// inTheWay returns the error about a file or folder that cannot be made.
func inTheWay(name string, err error) error {
	if _, bySystem := errors.AsType[syscall.Errno](err); bySystem || errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	return invalid(err, "", textBadEntry, name) // os.Root: it leads out of the folder
}

// finish makes the links and gives folders their permissions.
func (u *unpacking) finish() error {
	all := &links{targets: u.targets}
	if name := all.firstOutside(u.links); name != "" {
		return invalid(nil, hintLinkInside, textBadLink, name, u.targets[name])
	}
	for _, name := range u.links {
		target, ok := u.targets[name]
		if !ok {
			continue
		}
		if err := u.link(name, target); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	for _, folder := range u.folders {
		if folder.name == "." {
			continue // others have made the folder
		}
		if err := u.root.Chmod(folder.name, folder.perm|ownerFolder); err != nil {
			return fmt.Errorf("unpack %s: %w", folder.name, err)
		}
	}
	return nil
}

func (u *unpacking) link(name, target string) error {
	target = filepath.FromSlash(target)
	err := u.root.Symlink(target, name)
	if errors.Is(err, fs.ErrExist) {
		if err = u.root.Remove(name); err == nil {
			err = u.root.Symlink(target, name)
		}
	}
	if err != nil {
		return fmt.Errorf("unpack %s: %w", name, err)
	}
	return nil
}
