package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/trowel-project/trowel/internal/fix"
)

// uploadRow is the row of the command upload.
func uploadRow() command {
	return command{
		name: "upload", section: sectionProject, remote: true,
		lines: []line{{"upload <path.tar.gz> <project>", "send an archive to the server"}},
		usage: []string{"upload <path.tar.gz> <project>"},
		min:   2, max: 2, operand: anyFile,
		options: []option{
			textOption("REVISION", "name of the revision; default: a random one", "-r", "--revision"),
		},
		run: runUpload,
	}
}

// runUpload sends an archive as it is (server 1.10.3).
func runUpload(ctx context.Context, c *call) (err error) {
	name := c.args.positional[0]
	file, err := os.Open(c.env.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return fix.UseUpload.Failed(&fix.MissingFileError{Path: name})
	}
	if err != nil {
		return fix.UseUpload.Failed(fmt.Errorf("read %s: %w", name, fix.Reason(err)))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return uploadArchive(ctx, c, file, c.args.positional[1], time.Time{}, "")
}
