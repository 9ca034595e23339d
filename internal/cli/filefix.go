package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// fileUse is what a command wants of a file or a folder that it, its command line or its settings name. It decides what
// people can do where that fails.
type fileUse int

const (
	useOther fileUse = iota // to read what has no other place
	useConfigOption
	useConfigVariable
	useConfigFile
	useParams
	useProject
	useUpload
	useAuthority
	useSecretFile
	useMailBody
	useSecretKey

	// These write.
	useArchive
	useDownload
	useNewProject
	usePushed
	useSecrets
	useDatabase
	useArchives
	useLogs
	useAccessLog
	useRuntimeInfo
	useTemporary
	useWorkspaces
	useOutput
)

// writes reports whether something is written there.
func (u fileUse) writes() bool { return u >= useArchive }

// elsewhere is how to use another place; empty if there is none.
func (u fileUse) elsewhere() string {
	switch u {
	case useConfigOption:
		return "name another file with --config"
	case useConfigVariable:
		return "name another file in the variable TROWEL_CONFIG"
	case useConfigFile:
		return "do without it, with --config /dev/null"
	case useParams:
		return "name another file with --params-file"
	case useProject:
		return "name another folder with --project"
	case useUpload:
		return "name another archive"
	case useAuthority:
		return "name another file with --ca-cert"
	case useSecretFile:
		return "name another file after @"
	case useMailBody:
		return "name another file in notification.mail.body_template_file"
	case useSecretKey:
		return "set digdag.secret-encryption-key"
	case useArchive:
		return "write another file with --output"
	case useDownload:
		return "name another folder with --output"
	case useNewProject:
		return "name another folder"
	case usePushed:
		return "call it in another folder, with --project"
	case useDatabase:
		return "name another folder with --database or database.path"
	case useArchives:
		return "name another folder in archive.file.path"
	case useLogs:
		return "name another folder with --task-log or log-server.local.path"
	case useAccessLog:
		return "name another folder with --access-log or server.access-log.path"
	case useRuntimeInfo:
		return "name another file in server.runtime-info.path"
	case useTemporary:
		return "name another folder in tmpdir"
	case useWorkspaces:
		return "name another folder with --workspace or tmpdir"
	case useOutput:
		return "write standard output elsewhere"
	case useOther, useSecrets:
	}
	return ""
}

// fileUseError is an error of a file with its use.
type fileUseError struct {
	err error
	use fileUse
}

func (e *fileUseError) Error() string { return e.err.Error() }

// Unwrap gives the cause to errors.Is and errors.As.
func (e *fileUseError) Unwrap() error { return e.err }

// failed is an error of a file of this use; nil stays nil.
func (u fileUse) failed(err error) error {
	if err == nil {
		return nil
	}
	return &fileUseError{err, u}
}

// fileFix says what to do about an error of a file or a folder; empty for another error, and where nothing is known
// that helps.
func fileFix(err error) string {
	known, ok := errors.AsType[*fileUseError](err)
	if !ok && !isFileError(err) {
		return ""
	}
	var use fileUse
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
		if missing, ok := errors.AsType[*missingFileError](err); ok && !filepath.IsAbs(missing.path) {
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

// fileMistake is what the system says of a file or a folder, and what to do about it.
type fileMistake struct {
	errors []error
	read   string // what to do where it is read; as write if it is empty
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

// fileFixes are tried in order.
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

// missingFileError says that a file the command needs is not there (server 1.1). The path is as
// the user gave it.
type missingFileError struct{ path string }

func (e *missingFileError) Error() string { return e.path + " (no such file)" }

func (e *missingFileError) Unwrap() error { return fs.ErrNotExist }

// reason is what went wrong with a file, without its path, for errors that name the path already.
func reason(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// readNamed reads a file that people know by a name. A missing one is a *missingFileError.
func readNamed(path, name string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &missingFileError{path: name}
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, reason(err))
	}
	return data, nil
}
