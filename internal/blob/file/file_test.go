package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/blob/blobtest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store {
		t.Helper()
		s, err := New(t.TempDir(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// Unfinished files are removed once they are old.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".tmp-1", "a%"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		after time.Duration
		want  int
	}{{time.Hour, 2}, {48 * time.Hour, 1}} {
		if _, err := New(dir, time.Now().Add(test.after)); err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != test.want {
			t.Errorf("after %s there are %d files, %v, want %d", test.after, len(entries), err, test.want)
		}
	}
}

// A folder that is not writable is refused at the beginning.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	probe, err := os.Create(filepath.Join(dir, "probe"))
	if err == nil { // the superuser may write anyway, and Windows has no such mode
		_ = probe.Close()
		return
	}
	if _, err := New(dir, time.Now()); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("New of a folder that is read-only = %v, want ErrPermission", err)
	}
}

// FuzzName proves that a path determines its key, and stays below the folder.
func FuzzName(f *testing.F) {
	for _, key := range []string{"a", "a/b", "../x", "/", "", ".", "con/nul.txt", "a%b", strings.Repeat("x", 500), "é%-/"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		path := pathOf(key)
		if !filepath.IsLocal(path) {
			t.Errorf("pathOf(%q) = %q, which is not below the folder", key, path)
		}
		for element := range strings.SplitSeq(filepath.ToSlash(path), "/") {
			if len(element) > 255 || element == "" {
				t.Errorf("pathOf(%q) has the element %q", key, element)
			}
		}
		if got, ok := keyOf(path); !ok || got != key {
			t.Errorf("keyOf(%q) = %q, %t, want %q", path, got, ok, key)
		}
	})
}
