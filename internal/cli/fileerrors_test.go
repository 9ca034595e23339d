package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal, commands that fail because of a file say what to do about it. Elsewhere their texts have no advice.
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
			c.Write("w.dig", "+a:\n  echo>: a\n")
			if err := os.Mkdir(filepath.Join(c.Dir, "folder"), 0o700); err != nil {
				t.Fatal(err)
			}
			env, _, stderr := c.Env(strings.Fields(tc.args)...)
			env.Terminals.Stderr = terminal
			exit := Run(t.Context(), env)
			if out := stderr.String(); exit != 1 || !strings.Contains(out, tc.says) || strings.Contains(out, "\nfix: "+tc.fix+"\n") != terminal {
				t.Errorf("%s, terminal %t: exit %d, want %q, and %q on a terminal alone, in\n%s", tc.args, terminal, exit, tc.says, tc.fix, out)
			}
		}
	}
}
