package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/blob"
	"github.com/trowel-project/trowel/internal/command"
)

// Upload packs the project of a request, as a push does, with the files of its run, and stores the archive (operators 4.6).
func Upload(ctx context.Context, store blob.Store, key string, r *command.Request) (err error) {
	file, err := os.CreateTemp("", "trowel-archive-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if err := archive.Pack(ctx, file, r.Project, archive.PackOptions{Add: []string{r.IODir}}); err != nil {
		return fmt.Errorf("pack the project for the command: %w", err)
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = store.Put(ctx, key, file, size)
	}
	return err
}
