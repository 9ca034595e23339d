//go:build unix

package filelock_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/trowel-project/trowel/internal/filelock"
)

// A process that was killed while it started another one leaves its lock to that one for a moment. The lock
// can be taken as soon as the new process has released it.
func TestTakeSoonFromAKilledProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held, err := filelock.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	heir := exec.CommandContext(t.Context(), "cat")
	heir.ExtraFiles = []*os.File{held}
	input, err := heir.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := heir.Start(); err != nil {
		t.Fatal(err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if again, err := filelock.TakeSoon(path); !errors.Is(err, filelock.ErrTaken) {
		t.Errorf("TakeSoon beside the heir = %v, %v, want ErrTaken", again, err)
	}
	taken := make(chan error, 1)
	go func() {
		file, err := filelock.TakeSoon(path)
		if err == nil {
			err = file.Close()
		}
		taken <- err
	}()
	if _, err := io.WriteString(input, "x"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(input.Close(), heir.Wait()); err != nil {
		t.Error(err)
	}
	if err := <-taken; err != nil {
		t.Errorf("TakeSoon after the heir: %v", err)
	}
}
