package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// fileUse is what a command wants of a file or a folder: it decides what people can do where that fails.
type fileUse struct {
	writes bool   // it writes there; it reads otherwise
	other  string // how to do it elsewhere; empty if there is no other place
}

// The uses of files and folders that a command line or a setting names.
var (
	useParams     = fileUse{other: "name another file with --params-file"}
	useProject    = fileUse{other: "name another folder with --project"}
	useUpload     = fileUse{other: "name another archive"}
	useAuthority  = fileUse{other: "name another file with --ca-cert"}
	useSecretFile = fileUse{other: "name another file after @"}
	usePacked     = fileUse{} // files of a project
	useOwnSecrets = fileUse{}
	useMailBody   = fileUse{other: "name another file in notification.mail.body_template_file"}
	useSecretKey  = fileUse{other: "set digdag.secret-encryption-key"}

	useArchive     = fileUse{writes: true, other: "write another file with --output"}
	useDownload    = fileUse{writes: true, other: "name another folder with --output"}
	useNewProject  = fileUse{writes: true, other: "name another folder"}
	usePushed      = fileUse{writes: true, other: "call it in another folder, with --project"}
	useNewSecrets  = fileUse{writes: true}
	useDatabase    = fileUse{writes: true, other: "name another folder with --database or database.path"}
	useArchives    = fileUse{writes: true, other: "name another folder in archive.file.path"}
	useLogs        = fileUse{writes: true, other: "name another folder with --task-log or log-server.local.path"}
	useAccessLog   = fileUse{writes: true, other: "name another folder with --access-log or server.access-log.path"}
	useRuntimeInfo = fileUse{writes: true, other: "name another file in server.runtime-info.path"}
	useTemporary   = fileUse{writes: true, other: "name another folder in tmpdir"}
	useWorkspaces  = fileUse{writes: true, other: "name another folder with --workspace or tmpdir"}
	useOutput      = fileUse{writes: true, other: "write standard output elsewhere"}
)

// useSettings is the use of a file of settings.
func useSettings(c *call) fileUse {
	if c.configPath != "" {
		return fileUse{other: "name another file with --config"}
	}
	if _, set := c.env.lookupText("TROWEL_CONFIG"); set {
		return fileUse{other: "name another file in the variable TROWEL_CONFIG"}
	}
	return fileUse{other: "do without it, with --config /dev/null"}
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
	for _, row := range fileFixes {
		if !row.is(err) {
			continue
		}
		fix := row.read
		if use.writes || fix == "" {
			fix = row.write
		}
		if missing, ok := errors.AsType[*missingFileError](err); ok && !filepath.IsAbs(missing.path) {
			fix += ", which counts from the folder that the command is called in"
		}
		if use.other != "" {
			fix += ", or " + use.other
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
var fileFixes = []fileMistake{
	{[]error{syscall.EROFS}, "", "that disk can only be read: make it writable"},
	{[]error{syscall.ENOSPC, syscall.EDQUOT}, "", "make room on that disk"},
	{[]error{syscall.EISDIR}, "that is a folder: name a file in it", "a folder is in the way: move it away"},
	{[]error{syscall.ENOTDIR, syscall.EEXIST}, "a part of the path is a file: look at the path", "a file is in the way of the folder: move it away"},
	{[]error{fs.ErrPermission}, "let this user read it, with chmod or chown", "let this user write there, with chmod or chown"},
	{[]error{fs.ErrNotExist}, "look at the path", "make the folder first"},
}

// errorWithFix is errorText, for people with what to do about a file.
func (c *call) errorWithFix(err error) string {
	text := errorText(err)
	if fix := fileFix(err); fix != "" && c.env.Terminals.Stderr && !strings.Contains(text, "\nfix: ") && !strings.Contains(text, "\ndid you mean ") {
		text += "\nfix: " + fix
	}
	return text
}
