package filelock_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/trowel-project/trowel/internal/filelock"
)

func TestTake(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held, err := filelock.Take(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := filelock.Take(path); !errors.Is(err, filelock.ErrTaken) {
		t.Errorf("Take of a taken lock = %v, %v, want ErrTaken", again, err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	held, err = filelock.Take(path)
	if err != nil {
		t.Fatalf("Take after Close: %v", err)
	}
	_ = held.Close()
}
