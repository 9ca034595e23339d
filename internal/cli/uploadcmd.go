package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// runUpload sends an archive as it is (server 1.10.3).
func runUpload(ctx context.Context, c *call) (err error) {
	name := c.args.positional[0]
	file, err := os.Open(c.env.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return useUpload.failed(&missingFileError{path: name})
	}
	if err != nil {
		return useUpload.failed(fmt.Errorf("read %s: %w", name, reason(err)))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return c.upload(ctx, file, c.args.positional[1], time.Time{}, "")
}
