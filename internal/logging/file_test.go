package logging

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
)

func openTestLog(t *testing.T, path string, limit int64) *File {
	t.Helper()
	l, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l.limit = limit
	return l
}

func unzip(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	zip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// server 1.4: PATH.1.gz is the newest of five.
func TestLogFileRotates(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "run.log")
	l := openTestLog(t, path, 30)
	for i := range 22 {
		if _, err := fmt.Fprintf(l, "line number %02d\n", i); err != nil { // 15 bytes
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, ".gz") {
			got[name] = unzip(t, filepath.Join(dir, name))
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(data)
	}
	pair := func(n int) string { return fmt.Sprintf("line number %02d\nline number %02d\n", n, n+1) }
	want := map[string]string{
		"run.log": pair(20), "run.log.1.gz": pair(18), "run.log.2.gz": pair(16), "run.log.3.gz": pair(14),
		"run.log.4.gz": pair(12), "run.log.5.gz": pair(10),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// A second run continues the file of the first, and knows its size.
func TestLogFileAppends(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.log")
	for _, text := range []string{"first\n", "second\n", "third\n"} {
		l := openTestLog(t, path, 10)
		if _, err := io.WriteString(l, text); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := unzip(t, path+".1.gz"), "first\nsecond\n"; got != want {
		t.Errorf("rotated file = %q, want %q", got, want)
	}
}

// Entries of many goroutines stay whole, across rotations.
func TestLogFileConcurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.log")
	l := openTestLog(t, path, 40_000)
	line := strings.Repeat("x", 99) + "\n"
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 100 {
				if _, err := io.WriteString(l, line); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	last, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := unzip(t, path+".2.gz") + unzip(t, path+".1.gz") + string(last)
	if want := strings.Repeat(line, 1000); got != want {
		t.Errorf("%d bytes in three files, want %d", len(got), len(want))
	}
}

// Close reports what could not be kept, and the log itself goes on.
func TestLogFileCannotRotate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run.log")
	if err := os.MkdirAll(filepath.Join(path+".full", "taken"), 0o755); err != nil { // in the way of the rename
		t.Fatal(err)
	}
	l := openTestLog(t, path, 10)
	for range 5 {
		if _, err := io.WriteString(l, "0123456789\n"); err != nil {
			t.Errorf("Write: %v, want nil", err)
		}
	}
	if err := l.Close(); err == nil || !strings.HasPrefix(err.Error(), "rotate the log "+path+": ") {
		t.Errorf("Close() = %v, want that the log could not be rotated", err)
	}
	data, err := os.ReadFile(path)
	if want := strings.Repeat("0123456789\n", 5); err != nil || string(data) != want {
		t.Errorf("log = %q, %v, want %q", data, err, want)
	}
}

func TestLogFileError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := OpenFile(dir)
	if want := "cannot write the log to " + dir + ": is a directory"; !errors.Is(err, trowel.ErrInvalid) || err.Error() != want {
		t.Errorf("OpenFile(a folder) = %v, want an ErrInvalid: %s", err, want)
	}
}

// Others cannot read a server's log, whatever the umask.
func TestLogFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "logs")
	log, err := OpenFile(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	log.limit = 1
	for range 3 { // rotates
		if _, err := log.Write([]byte("line\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("files %v, %v, want a log and two old ones", files, err)
	}
	for _, file := range append(files, dir) {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o027 != 0 {
			t.Errorf("%s has mode %v, %v, want nothing for others, and no writing by the group", file, info.Mode(), err)
		}
	}
}
