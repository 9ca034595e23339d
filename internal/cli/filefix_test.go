package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// What to do about an error of a file depends on what the system says and on what the file is for.
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
		{useParams.failed(&missingFileError{path: "p.yml"}), "look at the path, which counts from the folder that the command is called in, or name another file with --params-file"},
		{useParams.failed(&missingFileError{path: "/p.yml"}), "look at the path, or name another file with --params-file"},
		{useParams.failed(bare(syscall.EACCES)), "let this user read it, with chmod or chown, or name another file with --params-file"},
		{useParams.failed(at(syscall.EPERM)), "let this user read it, with chmod or chown, or name another file with --params-file"},
		{useParams.failed(bare(syscall.EISDIR)), "that is a folder: name a file in it, or name another file with --params-file"},
		{useParams.failed(bare(syscall.ENOTDIR)), "a part of the path is a file: look at the path, or name another file with --params-file"},
		{useArchive.failed(bare(syscall.ENOENT)), "make the folder first, or write another file with --output"},
		{useArchive.failed(bare(syscall.EACCES)), "let this user write there, with chmod or chown, or write another file with --output"},
		{useArchive.failed(&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EISDIR}), "a folder is in the way: move it away, or write another file with --output"},
		{useDatabase.failed(bare(syscall.EROFS)), "that disk can only be read: make it writable, or name another folder with --database or database.path"},
		{useDatabase.failed(bare(syscall.ENOSPC)), "make room on that disk, or name another folder with --database or database.path"},
		{useDatabase.failed(bare(syscall.EDQUOT)), "make room on that disk, or name another folder with --database or database.path"},
		{useDatabase.failed(bare(syscall.ENOTDIR)), "a file is in the way of the folder: move it away, or name another folder with --database or database.path"},
		{useSecrets.failed(at(syscall.EACCES)), "let this user write there, with chmod or chown"},
		{useOutput.failed(bare(syscall.ENOSPC)), "make room on that disk, or write standard output elsewhere"},
		{useOther.failed(at(syscall.ENOSPC)), "make room on that disk"},
		{usePushed.failed(errors.Join(at(syscall.ENOSPC), errors.New("more"))), "make room on that disk, or call it in another folder, with --project"},
		{at(syscall.EACCES), "let this user read it, with chmod or chown"}, // of no known use
		{at(syscall.EIO), ""},
		{useDatabase.failed(bare(syscall.EIO)), ""},
		{bare(syscall.EACCES), ""}, // of no file that is known
		{trowel.ErrDenied, ""},
	} {
		if got := fileFix(tc.err); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.err, got, tc.want)
		}
	}
	if err := useParams.failed(nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}

// Commands that fail at a file say what to do about it on a terminal. Elsewhere their texts are as they were.
func TestFileErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ args, says, fix string }{
		{"run w.dig -P nosuch.yml", "nosuch.yml (no such file)", "look at the path, which counts from the folder that the command is called in, or name another file with --params-file"},
		{"run w.dig --project nosuch", "nosuch (no such file)", "look at the path, or name another folder with --project"},
		{"projects -c nosuch", "nosuch (no such file)", "look at the path, which counts from the folder that the command is called in, or name another file with --config"},
		{"projects -c folder", "read folder: is a directory", "that is a folder: name a file in it, or name another file with --config"},
		{"archive --output nosuch/a.tar.gz", "no such file or directory", "make the folder first, or write another file with --output"},
		{"archive --output w.dig/a.tar.gz", "not a directory", "a file is in the way of the folder: move it away, or write another file with --output"},
		{"upload nosuch.tar.gz p", "nosuch.tar.gz (no such file)", "look at the path, which counts from the folder that the command is called in, or name another archive"},
		{"init w.dig/sub", "make folder w.dig/sub: not a directory", "a file is in the way of the folder: move it away, or name another folder"},
		{"secrets --local --set a=@folder", "read folder: is a directory", "that is a folder: name a file in it, or name another file after @"},
		{"server --port 0 --database w.dig", "use the database in ", "a file is in the way of the folder: move it away, or name another folder with --database or database.path"},
		{"server --port 0 --memory --task-log w.dig", "open the store of logs: ", "a file is in the way of the folder: move it away, or name another folder with --task-log or log-server.local.path"},
		{"server --port 0 --memory --access-log w.dig", "make the folder of the access log: ", "a file is in the way of the folder: move it away, or name another folder with --access-log or server.access-log.path"},
		{"server --port 0 --memory -X tmpdir=w.dig", "make a folder for the files of tasks: ", "a file is in the way of the folder: move it away, or name another folder in tmpdir"},
		{"server --port 0 --memory -X archive.type=file -X archive.file.path=w.dig", "open the store of archives: ", "a file is in the way of the folder: move it away, or name another folder in archive.file.path"},
		{"server --port 0 --memory -X server.runtime-info.path=w.dig/x", "write server.runtime-info.path: ", "a file is in the way of the folder: move it away, or name another file in server.runtime-info.path"},
		{"agent --server http://127.0.0.1:1 --ca-cert folder", "read the file of --ca-cert: ", "that is a folder: name a file in it, or name another file with --ca-cert"},
		{"agent --server http://127.0.0.1:1 --workspace w.dig", "make a folder for the files of tasks: ", "a file is in the way of the folder: move it away, or name another folder with --workspace or tmpdir"},
	} {
		for _, terminal := range []bool{true, false} {
			c := newConsole(t)
			c.write("w.dig", "+a:\n  echo>: a\n")
			if err := os.Mkdir(filepath.Join(c.dir, "folder"), 0o700); err != nil {
				t.Fatal(err)
			}
			env, _, stderr := c.env(strings.Fields(tc.args)...)
			env.Terminals.Stderr = terminal
			exit := Run(t.Context(), env)
			if out := stderr.String(); exit != 1 || !strings.Contains(out, tc.says) || strings.Contains(out, "\nfix: "+tc.fix+"\n") != terminal {
				t.Errorf("%s, terminal %t: exit %d, want %q, and %q on a terminal alone, in\n%s", tc.args, terminal, exit, tc.says, tc.fix, out)
			}
		}
	}
}
