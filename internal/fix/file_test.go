package fix

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// What to do about an error of a file depends on the system's error and on the use of the file.
func TestFileFix(t *testing.T) {
	t.Parallel()
	at := func(errno error) error {
		return fmt.Errorf("do it: %w", &fs.PathError{Op: "open", Path: "/x", Err: errno})
	}
	bare := func(errno error) error { return fmt.Errorf("write /x: %w", errno) }
	for _, tc := range []struct {
		err  error
		want string
	}{
		{UseParams.Failed(&MissingFileError{Path: "p.yml"}), "look at the path, which counts from the folder that the command is called in, or name another file with --params-file"},
		{UseParams.Failed(&MissingFileError{Path: "/p.yml"}), "look at the path, or name another file with --params-file"},
		{UseParams.Failed(bare(syscall.EACCES)), "let this user read it, with chmod or chown, or name another file with --params-file"},
		{UseParams.Failed(at(syscall.EPERM)), "let this user read it, with chmod or chown, or name another file with --params-file"},
		{UseParams.Failed(bare(syscall.EISDIR)), "that is a folder: name a file in it, or name another file with --params-file"},
		{UseParams.Failed(bare(syscall.ENOTDIR)), "a part of the path is a file: look at the path, or name another file with --params-file"},
		{UseArchive.Failed(bare(syscall.ENOENT)), "make the folder first, or write another file with --output"},
		{UseArchive.Failed(bare(syscall.EACCES)), "let this user write there, with chmod or chown, or write another file with --output"},
		{UseArchive.Failed(&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EISDIR}), "a folder is in the way: move it away, or write another file with --output"},
		{UseDatabase.Failed(bare(syscall.EROFS)), "that disk can only be read: make it writable, or name another folder with --database or database.path"},
		{UseDatabase.Failed(bare(syscall.ENOSPC)), "make room on that disk, or name another folder with --database or database.path"},
		{UseDatabase.Failed(bare(syscall.EDQUOT)), "make room on that disk, or name another folder with --database or database.path"},
		{UseDatabase.Failed(bare(syscall.ENOTDIR)), "a file is in the way of the folder: move it away, or name another folder with --database or database.path"},
		{UseSecrets.Failed(at(syscall.EACCES)), "let this user write there, with chmod or chown"},
		{UseOutput.Failed(bare(syscall.ENOSPC)), "make room on that disk, or write standard output elsewhere"},
		{UseOther.Failed(at(syscall.ENOSPC)), "make room on that disk"},
		{UsePushed.Failed(errors.Join(at(syscall.ENOSPC), errors.New("more"))), "make room on that disk, or call it in another folder, with --project"},
		{at(syscall.EACCES), "let this user read it, with chmod or chown"}, // of no known use
		{at(syscall.EIO), ""},
		{UseDatabase.Failed(bare(syscall.EIO)), ""},
		{bare(syscall.EACCES), ""}, // of no file that is known
		{trowel.ErrDenied, ""},
	} {
		if got := OfFile(tc.err); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.err, got, tc.want)
		}
	}
	if err := UseParams.Failed(nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}
