//go:build unix

package operator

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shFolder takes a folder and writes a script.
func shFolder(t *testing.T, f *runFolders, project, text string) string {
	t.Helper()
	dir, err := f.take(project, "digdag-sh-7-")
	if err != nil {
		t.Fatal(err)
	}
	if err := overwrite(filepath.Join(dir, shRunner), []byte(text)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func left(t *testing.T, project string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(project, ".digdag", "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// The folder of a run that has ended is used by the next one if runs overlap.
func TestRunFoldersAreUsedAgain(t *testing.T) {
	t.Parallel()
	project, f := t.TempDir(), newRunFolders()
	f.begin()
	f.begin()
	first := shFolder(t, f, project, "a long script")
	if err := f.giveBack(first); err != nil {
		t.Fatal(err)
	}
	second := shFolder(t, f, project, "short")
	if second == first || !strings.HasPrefix(filepath.Base(second), "digdag-sh-7-") || left(t, project) != 1 {
		t.Errorf("the second folder is %s, %d folders, want the first one under a new name", second, left(t, project))
	}
	if text, err := os.ReadFile(filepath.Join(second, shRunner)); err != nil || string(text) != "short" {
		t.Errorf("script = %q, %v, want %q", text, err, "short")
	}
	other := t.TempDir()
	if err := f.giveBack(second); err != nil {
		t.Fatal(err)
	}
	shFolder(t, f, other, "x")
	if left(t, project) != 1 || left(t, other) != 1 {
		t.Error("a folder went from one project to another")
	}
	f.end()
	f.end()
	if left(t, project) != 0 {
		t.Errorf("%d folders are left, want none", left(t, project))
	}
}

// A command that replaces the folder of all runs by a pipe does not block removal.
func TestPipeInPlaceOfRunFolders(t *testing.T) {
	t.Parallel()
	project, f := t.TempDir(), newRunFolders()
	tmp := filepath.Join(project, ".digdag", "tmp")
	if err := os.MkdirAll(filepath.Dir(tmp), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(tmp, 0o600); err != nil {
		t.Fatal(err)
	}
	given := make(chan error, 1)
	go func() { given <- f.giveBack(filepath.Join(tmp, "digdag-sh-7-1")) }()
	select {
	case err := <-given:
		if err == nil || !strings.Contains(err.Error(), "is no folder any more") {
			t.Errorf("giveBack: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("giveBack waits for somebody who writes to the pipe")
	}
}

// A folder is removed if nobody else runs, or if it contains anything but a plain script.
func TestRunFoldersAreRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		active int
		change func(dir string) error
	}{
		{"alone", 1, func(string) error { return nil }},
		{"another file", 2, func(dir string) error { return os.WriteFile(filepath.Join(dir, "x"), nil, 0o600) }},
		{"no script", 2, func(dir string) error { return os.Remove(filepath.Join(dir, shRunner)) }},
		{"second name", 2, func(dir string) error {
			return os.Link(filepath.Join(dir, shRunner), filepath.Join(filepath.Dir(dir), "copy"))
		}},
		{"link instead of a script", 2, func(dir string) error {
			path := filepath.Join(dir, shRunner)
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink("/etc/passwd", path)
		}},
		{"script cannot be written", 2, func(dir string) error { return os.Chmod(filepath.Join(dir, shRunner), 0o400) }},
		{"folder is gone", 2, os.RemoveAll},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			project, f := t.TempDir(), newRunFolders()
			for range c.active {
				f.begin()
			}
			dir := shFolder(t, f, project, "x")
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			if err := f.giveBack(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) || len(f.spares) != 0 {
				t.Errorf("the folder is kept: %v, spares %v", err, f.spares)
			}
		})
	}
}
