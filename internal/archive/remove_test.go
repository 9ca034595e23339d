package archive

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// removeInside is the variable with the folder that a process of TestRemoveDeepTree removes.
const removeInside = "TROWEL_TEST_REMOVE"

// A task can make folders that are deeper than a path can be long, and than a process can have files open.
func TestRemoveDeepTree(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(removeInside); dir != "" {
		if err := removeTree(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("folders cannot be so deep")
	}
	dir := filepath.Join(t.TempDir(), "tree")
	makeDeep(t, dir, 2500)
	limited := exec.CommandContext(t.Context(), "/bin/sh", "-c", `ulimit -n 100; exec "$0" "$@"`, os.Args[0], "-test.run=^TestRemoveDeepTree$")
	limited.Env = append(os.Environ(), removeInside+"="+dir)
	if out, err := limited.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.2000s", err, out)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
		if err := removeTree(dir); err != nil {
			t.Error(err)
		}
	}
}

// makeDeep makes folders inside folders, with a file in some. The last one is closed.
func makeDeep(t *testing.T, dir string, depth int) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	here, err := os.OpenRoot(dir)
	for i := 1; err == nil && i < depth; i++ {
		if i%1000 == 0 {
			err = here.WriteFile("file", []byte("text"), 0o400)
		}
		err = errors.Join(err, here.Mkdir("d", 0o700))
		next, openErr := here.OpenRoot("d")
		err = errors.Join(err, openErr, here.Close())
		here = next
	}
	if err == nil {
		err = errors.Join(here.Mkdir("d", 0), here.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRemoveTree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(dir string) error
	}{
		{"many files", func(dir string) error {
			var errs []error
			for i := range removeBatch + 1 {
				errs = append(errs, os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o400))
			}
			return errors.Join(errs...)
		}},
		{"folders", func(dir string) error {
			var errs []error
			for _, name := range []string{"a/b/c", "a/c/c", "b/b"} {
				inner := filepath.Join(dir, name)
				errs = append(errs, os.MkdirAll(inner, 0o700), os.WriteFile(filepath.Join(inner, "file"), nil, 0o400))
			}
			return errors.Join(errs...)
		}},
		{"closed", func(dir string) error {
			inner := filepath.Join(dir, "a", "b")
			return errors.Join(os.MkdirAll(inner, 0o700), os.WriteFile(filepath.Join(inner, "file"), nil, 0o400),
				os.Chmod(inner, 0), os.Chmod(filepath.Dir(inner), 0o400), os.Chmod(dir, 0))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "tree")
			if err := errors.Join(os.Mkdir(dir, 0o700), c.make(dir)); err != nil {
				t.Fatal(err)
			}
			if err := removeTree(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder is left: %v", err)
			}
		})
	}
}

// Links are removed and their targets stay, even if the folder itself is a link.
func TestRemoveTreeLeavesWhatLinksLeadTo(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	kept := filepath.Join(outside, "kept")
	if err := os.WriteFile(kept, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tree")
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "a/link", "a/b/link"} {
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	link := dir + "-link"
	if err := errors.Join(os.Symlink(dir, link), removeTree(link)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "a")); err != nil {
		t.Errorf("removing a link has removed what it leads to: %v", err)
	}
	if err := removeTree(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
	if _, err := os.Lstat(kept); err != nil {
		t.Errorf("what a link leads to: %v", err)
	}
}

// A process that keeps writing to a folder does not keep its removal from ending.
func TestRemoveTreeEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range removeBatch + 1 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeUntil(dir, time.Now().Add(-time.Second)); err == nil || !strings.Contains(err.Error(), "still something in it") {
		t.Errorf("error = %v, want one that something is left", err)
	}
}
