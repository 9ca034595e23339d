// Package fix says what people can do about errors of files and databases.
package fix

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Use is what a command does with a file or a folder that it, its command line or its settings name. What
// people can do about an error depends on it.
type Use int

// The uses of files, and of folders.
const (
	UseOther Use = iota // reading for which nobody can choose another place
	UseConfigOption
	UseConfigVariable
	UseConfigFile
	UseParams
	UseProject
	UseUpload
	UseAuthority
	UseSecretFile
	UseMailBody
	UseSecretKey

	UseArchive // this one and those below write
	UseDownload
	UseNewProject
	UsePushed
	UseSecrets
	UseDatabase
	UseArchives
	UseLogs
	UseAccessLog
	UseRuntimeInfo
	UseTemporary
	UseWorkspaces
	UseOutput
)

// writes reports whether the use writes.
func (u Use) writes() bool { return u >= UseArchive }

// elsewhere returns how to use another place, or "" if there is none.
func (u Use) elsewhere() string {
	switch u {
	case UseConfigOption:
		return "name another file with --config"
	case UseConfigVariable:
		return "name another file in the variable TROWEL_CONFIG"
	case UseConfigFile:
		return "do without it, with --config /dev/null"
	case UseParams:
		return "name another file with --params-file"
	case UseProject:
		return "name another folder with --project"
	case UseUpload:
		return "name another archive"
	case UseAuthority:
		return "name another file with --ca-cert"
	case UseSecretFile:
		return "name another file after @"
	case UseMailBody:
		return "name another file in notification.mail.body_template_file"
	case UseSecretKey:
		return "set digdag.secret-encryption-key"
	case UseArchive:
		return "write another file with --output"
	case UseDownload:
		return "name another folder with --output"
	case UseNewProject:
		return "name another folder"
	case UsePushed:
		return "call it in another folder, with --project"
	case UseDatabase:
		return "name another folder with --database or database.path"
	case UseArchives:
		return "name another folder in archive.file.path"
	case UseLogs:
		return "name another folder with --task-log or log-server.local.path"
	case UseAccessLog:
		return "name another folder with --access-log or server.access-log.path"
	case UseRuntimeInfo:
		return "name another file in server.runtime-info.path"
	case UseTemporary:
		return "name another folder in tmpdir"
	case UseWorkspaces:
		return "name another folder with --workspace or tmpdir"
	case UseOutput:
		return "write standard output elsewhere"
	case UseOther, UseSecrets:
	}
	return ""
}

// fileUseError is an error of a file with its use.
type fileUseError struct {
	err error
	use Use
}

func (e *fileUseError) Error() string { return e.err.Error() }

// Unwrap gives the cause to errors.Is and errors.As.
func (e *fileUseError) Unwrap() error { return e.err }

// Failed returns an error of a file with this use. Nil stays nil.
func (u Use) Failed(err error) error {
	if err == nil {
		return nil
	}
	return &fileUseError{err, u}
}

// OfFile says what to do about an error of a file or a folder. It is empty for other errors, and if nothing is known
// that helps.
func OfFile(err error) string {
	known, ok := errors.AsType[*fileUseError](err)
	if !ok && !isFileError(err) {
		return ""
	}
	var use Use
	if ok {
		use = known.use
	}
	for _, row := range fileFixes() {
		if !row.is(err) {
			continue
		}
		fix := row.read
		if use.writes() || fix == "" {
			fix = row.write
		}
		if missing, ok := errors.AsType[*MissingFileError](err); ok && !filepath.IsAbs(missing.Path) {
			fix += ", which counts from the folder that the command is called in"
		}
		if other := use.elsewhere(); other != "" {
			fix += ", or " + other
		}
		return fix
	}
	return ""
}

// isFileError reports whether the system refused something with a path.
func isFileError(err error) bool {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	return path || link
}

// fileMistake is what the system says about a file or a folder, and what to do about it.
type fileMistake struct {
	errors []error
	read   string // what to do when it is read; write if it is empty
	write  string
}

func (m *fileMistake) is(err error) bool {
	for _, one := range m.errors {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// fileFixes returns frequent mistakes, which are tried in order.
func fileFixes() []fileMistake {
	return []fileMistake{
		{[]error{syscall.EROFS}, "", "that disk can only be read: make it writable"},
		{[]error{syscall.ENOSPC, syscall.EDQUOT}, "", "make room on that disk"},
		{[]error{syscall.EISDIR}, "that is a folder: name a file in it", "a folder is in the way: move it away"},
		{[]error{syscall.ENOTDIR, syscall.EEXIST}, "a part of the path is a file: look at the path", "a file is in the way of the folder: move it away"},
		{[]error{fs.ErrPermission}, "let this user read it, with chmod or chown", "let this user write there, with chmod or chown"},
		{[]error{fs.ErrNotExist}, "look at the path", "make the folder first"},
	}
}

// MissingFileError says that a file is missing (server 1.1). The path is as
// the user wrote it.
type MissingFileError struct{ Path string }

func (e *MissingFileError) Error() string { return e.Path + " (no such file)" }

func (e *MissingFileError) Unwrap() error { return fs.ErrNotExist }

// Reason returns an error of a file without its path, for errors that name the path already.
func Reason(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// ReadNamed reads a file that people know by name. A missing one is a *MissingFileError.
func ReadNamed(path, name string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingFileError{Path: name}
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, Reason(err))
	}
	return data, nil
}
