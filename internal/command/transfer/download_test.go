package transfer_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/blob/file"
	"github.com/trowel-project/trowel/internal/command/transfer"
)

// What comes back is limited, and an archive that is not valid is read again only a few times.
func TestFetchLimit(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	from := t.TempDir()
	path := filepath.Join(from, filepath.FromSlash(transfer.TempDir), "output")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := archive.Pack(t.Context(), &packed, from, archive.PackOptions{Add: []string{transfer.TempDir}}); err != nil {
		t.Fatal(err)
	}
	store, err := file.New(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Put(t.Context(), "k", &packed, int64(packed.Len())); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		left        transfer.Left
		good, retry bool
	}{
		{transfer.Left{Key: "k"}, true, false},
		{transfer.Left{Key: "k", MostBytes: 2 * size}, true, false},
		{transfer.Left{Key: "k", MostBytes: size / 2}, false, true},
		{transfer.Left{Key: "k", MostBytes: size / 2, Failed: 3}, false, false},
	} {
		to := t.TempDir()
		retry, err := transfer.Fetch(t.Context(), store, &c.left, to)
		if retry != c.retry || (err == nil) != c.good || !c.good && !errors.Is(err, trowel.ErrInvalid) {
			t.Errorf("%+v: retry %v, %v", c.left, retry, err)
		}
		if _, err := os.Stat(filepath.Join(to, filepath.FromSlash(transfer.TempDir), "output")); c.good && err != nil {
			t.Error(err)
		}
	}
}
