//go:build unix

package archive

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A process that a task has left behind may replace a folder by a pipe while it is being removed. The removal does
// not wait until somebody writes to the pipe.
func TestPipeInPlaceOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // was only looked up in
	r := &removal{root: root}
	listed := make(chan error, 1)
	go func() {
		_, err := r.list("pipe")
		listed <- err
	}()
	select {
	case err = <-listed:
	case <-time.After(10 * time.Second):
		writer, openErr := os.OpenFile(filepath.Join(dir, "pipe"), os.O_RDWR, 0) // ends the wait
		t.Fatalf("list waits for somebody who writes to the pipe (%v)", errors.Join(openErr, writer.Close()))
	}
	if !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("list of a pipe: %v, want %v", err, syscall.ENOTDIR)
	}
}
