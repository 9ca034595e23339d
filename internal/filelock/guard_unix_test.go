//go:build unix

package filelock_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/trowel-project/trowel/internal/filelock"
)

// A guarded folder refuses the exclusive lock that tmpfiles.d(5) asks for, and can be guarded twice.
func TestGuard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cleans := func() error {
		folder, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = folder.Close() }()
		return syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // descriptors are small
	}
	first, err := filelock.Guard(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := filelock.Guard(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	if err := cleans(); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("lock of a guarded folder: %v, want EWOULDBLOCK", err)
	}
	_ = second.Close()
	if err := cleans(); err != nil {
		t.Errorf("lock of a folder that is no more guarded: %v", err)
	}
}
