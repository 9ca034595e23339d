package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trowel-project/trowel/internal/cli/clitest"
)

// pushServer accepts archives and serves the last one.
func pushServer(t *testing.T) (url string, pushed *[]string, archived *bytes.Buffer) {
	t.Helper()
	pushed, archived = &[]string{}, &bytes.Buffer{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version/check", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, clitest.GoodVersion) })
	mux.HandleFunc("PUT /api/projects", func(w http.ResponseWriter, r *http.Request) {
		archived.Reset()
		n, err := io.Copy(archived, r.Body)
		if err != nil || n != r.ContentLength || r.Header.Get("Content-Type") != "application/gzip" {
			t.Errorf("archive of %d bytes, said to be %d, as %s: %v", n, r.ContentLength, r.Header.Get("Content-Type"), err)
		}
		*pushed = append(*pushed, r.URL.RawQuery)
		_, _ = io.WriteString(w, clitest.ProjectDemo)
	})
	mux.HandleFunc("GET /api/projects", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"projects":[`+clitest.ProjectDemo+`]}`)
	})
	mux.HandleFunc("GET /api/projects/1/archive", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("revision") != "r1" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(archived.Bytes())
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, pushed, archived
}

// namesIn returns the names of the entries of an archive.
func namesIn(t *testing.T, data []byte) []string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for entries := tar.NewReader(zip); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, entry.Name)
	}
}

const uploaded = "Uploaded:\n  id: 1\n  name: demo\n  revision: r1\n  archive type: db\n  project created at: 2024-01-01T00:00:00Z\n" +
	"  revision updated at: 2024-01-01T18:00:00Z\n\nUse `trowel workflows` to show all workflows.\n"

// anyArchive stands for the name of a temporary archive.
func anyArchive(text string) string {
	return regexp.MustCompile(`archive-\d+\.tar\.gz`).ReplaceAllString(text, "ARCHIVE")
}

// The name of a project that is given by its id was chosen by others. It must not decide where files go.
func TestDownloadIntoTheNamesFolder(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{
		"other": false, "../up": true, "/tmp/trowel-never": true, ".": true, ".ssh": true, "a/b": true, `a\b`: true,
	} {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /api/version/check", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, clitest.GoodVersion) })
		mux.HandleFunc("GET /api/projects", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"projects":[]}`) })
		mux.HandleFunc("GET /api/projects/1", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Replace(clitest.ProjectDemo, `"demo"`, strconv.Quote(name), 1))
		})
		server := httptest.NewServer(mux) // without an archive
		t.Cleanup(server.Close)
		c := newConsole(t)
		got := c.Run("download", "1", "-e", server.URL)
		if got.Exit != 1 || strings.Contains(got.Stderr, "\nfix: name a folder with --output DIR") != refused {
			t.Errorf("%s: exit %d, %s", name, got.Exit, got.Stderr)
		}
		got = c.Run("download", "1", "-o", "out", "-e", server.URL)
		if want := "error: Project archive of revision 'r1' does not exist.\n"; got.Stderr != want {
			t.Errorf("%s, with --output: %s, want %s", name, got.Stderr, want)
		}
	}
}

// TestPushAndDownload checks what push sends and prints, and that download brings it back (server
// 1.10.1, 1.10.4).
func TestPushAndDownload(t *testing.T) {
	t.Parallel()
	url, pushed, archived := pushServer(t)
	c := newConsole(t)
	c.Write("demo/w.dig", "+a:\n  echo>: a\n")
	c.Write("demo/lib/x.txt", "x")
	c.Write("demo/.hidden", "h")
	push := []string{"push", "demo", "--project", "demo", "-r", "r1", "--schedule-from", "2024-01-15 00:00:00 +0900", "-e", url}
	listed := "...\n  Archiving lib/x.txt\n  Archiving w.dig\nWorkflows:\n  w.dig\n" + uploaded
	first := filepath.Join(c.Dir, ".digdag", "tmp", "ARCHIVE")
	for _, shown := range []string{first, filepath.Join(".digdag", "tmp", "ARCHIVE")} { // the folder is there the second time
		got := c.Run(push...)
		want := clitest.Outcome{Exit: 0, Stdout: strings.Replace(listed, "...", "Creating "+shown+"...", 1), Stderr: ""}
		got.Stdout = anyArchive(got.Stdout)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(clitest.Outcome{})); diff != "" {
			t.Errorf("push (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff("project=demo&revision=r1&schedule_from=2024-01-14T15%3A00%3A00Z", (*pushed)[0]); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"lib/x.txt", "w.dig"}, namesIn(t, archived.Bytes())); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
	if left := clitest.FilesBelow(t, filepath.Join(c.Dir, ".digdag")); len(left) > 0 {
		t.Errorf("push left %v", left)
	}

	got := c.Run("download", "demo", "-o", "a/b", "-e", url)
	want := clitest.Outcome{Exit: 0, Stdout: "  a/b/lib/x.txt\n  a/b/w.dig\nExtracted project 'demo' revision 'r1' to a/b.\n", Stderr: ""}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(clitest.Outcome{})); diff != "" {
		t.Errorf("download (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"lib/x.txt", "w.dig"}, clitest.FilesBelow(t, filepath.Join(c.Dir, "a", "b"))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	got = c.Run("download", "demo", "-r", "r9", "-o", "none", "-e", url)
	want = clitest.Outcome{Exit: 1, Stdout: "", Stderr: "error: Project archive of revision 'r9' does not exist.\n"}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(clitest.Outcome{})); diff != "" {
		t.Errorf("download of no revision (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "none")); err == nil {
		t.Error("download of no revision made a folder")
	}
}

// Data of a server in a folder of the project is not sent, least of all its key.
func TestPushLeavesOutServer(t *testing.T) {
	t.Parallel()
	url, _, archived := pushServer(t)
	c := newConsole(t)
	for _, file := range []string{
		"w.dig", "data/trowel.db", "data/trowel.db-wal", "data/trowel.db-shm", "data/trowel.lock", "data/secret.key", "data/trowel.db.txt",
		"trowel.db", "secret.key", "other/secret.key", "other/trowel.lock",
	} {
		c.Write("p/"+file, "+a:\n  echo>: a\n")
	}
	got := c.Run("push", "demo", "--project", "p", "-r", "r1", "-e", url)
	want := "warning: left out the database and the key of the server in p/data\nfix: keep them outside of the project: start that server with -o and another folder\n" +
		"warning: left out the database and the key of the server in p\nfix: keep them outside of the project: start that server with -o and another folder\n"
	if got.Exit != 0 || filepath.ToSlash(got.Stderr) != want {
		t.Errorf("push = exit %d, %q, want 0, %q", got.Exit, got.Stderr, want)
	}
	if diff := cmp.Diff([]string{"data/trowel.db.txt", "other/secret.key", "other/trowel.lock", "w.dig"}, namesIn(t, archived.Bytes())); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
}

// TestArchiveAndUpload checks that archive makes a file without a server, which upload sends (server
// 1.10.2, 1.10.3).
func TestArchiveAndUpload(t *testing.T) {
	t.Parallel()
	url, pushed, archived := pushServer(t)
	c := newConsole(t)
	c.Write("w.dig", "+a:\n  echo>: a\n")
	want := clitest.Outcome{Exit: 0, Stdout: "Creating x.tar.gz...\n  Archiving w.dig\nCreated x.tar.gz.\n" +
		"Use `trowel upload <path.tar.gz> <project> <revision>` to upload it a server.\n\n  Examples:\n" +
		"    $ trowel upload x.tar.gz $(basename $(pwd)) -r $(date +%Y%m%d-%H%M%S)\n" +
		"    $ trowel upload x.tar.gz $(git rev-parse --abbrev-ref HEAD) -r $(git rev-parse HEAD)\n\n", Stderr: ""}
	if diff := cmp.Diff(want, c.Run("archive", "-o", "x.tar.gz"), cmp.AllowUnexported(clitest.Outcome{})); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(clitest.Outcome{Exit: 0, Stdout: uploaded, Stderr: ""}, c.Run("upload", "x.tar.gz", "demo", "-r", "r1", "-e", url), cmp.AllowUnexported(clitest.Outcome{})); diff != "" {
		t.Errorf("upload (-want +got):\n%s", diff)
	}
	if archived.String() != c.Read("x.tar.gz") || (*pushed)[0] != "project=demo&revision=r1" {
		t.Errorf("uploaded %d bytes as %s", archived.Len(), *pushed)
	}
	if got := c.Run("upload", "none.tar.gz", "demo", "-e", url); got.Exit != 1 || got.Stderr != "error: none.tar.gz (no such file)\n" {
		t.Errorf("upload of no file: %+v", got)
	}
	if left := clitest.FilesBelow(t, c.Dir); len(left) != 2 {
		t.Errorf("files = %v, want the archive and the workflow", left)
	}
}

// TestPushRefused checks what push says before it sends anything (server 1.10.1).
func TestPushRefused(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	c.Write("keys/w.dig", "colour: red\n")
	c.Write("none/readme.txt", "r")
	warning := "Workflows:\n  WARNING: This project doesn't include workflows. Usually, this is a mistake.\n" +
		"           Please make sure that all *.dig files are on the top directory.\n" +
		"           *.dig files in subdirectories are not recognized as workflows.\n\n"
	cases := []struct {
		args, stdout, stderr string
	}{
		{"push demo --project keys", "", "error: Validating project failed\nworkflow " + filepath.Join(c.Dir, "keys", "w.dig") +
			" Workflow 'w' includes unknown keys: [colour] (model validation)\n..."},
		{"push demo --project nowhere", "", "error: " + filepath.Join(c.Dir, "nowhere") + " (no such file)\n"},
		{"push demo --project none -r _", "  Archiving readme.txt\n" + warning, "Usage: trowel push <project> -r <revision>\n...error: revision cannot be empty\n"},
		{"push demo --schedule-from soon", "-", "error: --schedule-from option must be \"yyyy-MM-dd HH:mm:ss Z\" format or UNIX timestamp: soon\n" +
			"hint: current local time is \"2024-01-02 03:04:05 +0900\"\n"},
	}
	for _, tc := range cases {
		args := strings.Fields(tc.args)
		for i := range args {
			args[i] = strings.Trim(args[i], "_")
		}
		got := c.Run(args...)
		stdout := tc.stdout
		if stdout == "-" {
			stdout = ""
		} else {
			_, rest, _ := strings.Cut(got.Stdout, "\n") // Creating ...
			got.Stdout = rest
		}
		if got.Exit != 1 || got.Stdout != stdout || !clitest.Matches(tc.stderr, got.Stderr) {
			t.Errorf("%s: %+v, want %q and %q", tc.args, got, stdout, tc.stderr)
		}
	}
	if left := clitest.FilesBelow(t, filepath.Join(c.Dir, ".digdag")); len(left) > 0 {
		t.Errorf("push left %v", left)
	}
}
