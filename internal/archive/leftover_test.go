package archive

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// Commands of a dead process may still write into their workspace. This does not keep others from
// starting.
func TestLeftWorkspaceInUse(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a folder in use keeps its name")
	}
	dir := t.TempDir()
	for range 20 {
		left := filepath.Join(dir, "0", workName, "1_main_1_1_x")
		if err := os.MkdirAll(left, 0o700); err != nil {
			t.Fatal(err)
		}
		stop := write(t, left)
		w, err := NewWorkspaces(WorkspaceOptions{Dir: dir})
		stop()
		if err != nil {
			t.Fatalf("beside a command that writes: %v", err)
		}
		if entries, err := os.ReadDir(w.work); err != nil || len(entries) > 0 {
			t.Errorf("a new process has %v, %v, want an empty folder", entries, err)
		}
		if err := w.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if err := newWorkspaces(t, WorkspaceOptions{Dir: dir}).Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "0", leftName+"*")); err != nil || len(left) > 0 {
		t.Errorf("when nobody writes any more, %v, %v is left, want nothing", left, err)
	}
}

// write makes files in a folder, even if that is moved, until it is stopped.
func write(t *testing.T, dir string) (stop func()) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	begun, end := make(chan struct{}), make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 0; ; n++ {
			file, err := root.Create(strconv.Itoa(n))
			if err == nil {
				_ = file.Close()
			}
			if n == 100 {
				close(begun)
			}
			select {
			case <-end:
				return
			default:
			}
		}
	})
	<-begun
	return func() {
		close(end)
		writing.Wait()
		_ = root.Close()
	}
}

// The file of an upload disappears with the process, however that ends.
func TestSpoolHasNoName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open file keeps its name")
	}
	dir := t.TempDir()
	s, err := newSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("an open upload has the files %v, %v, want none", entries, err)
	}
	got := make([]byte, 4)
	if _, err := s.ReadAt(got, 0); err != nil || !bytes.Equal(got, []byte("text")) {
		t.Errorf("ReadAt = %q, %v", got, err)
	}
	if err := s.remove(); err != nil {
		t.Errorf("remove: %v", err)
	}
}
