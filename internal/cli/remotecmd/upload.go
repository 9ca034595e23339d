package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/fix"
)

// Upload returns the row of the command upload.
func Upload() cmd.Command {
	return cmd.Command{
		Name: "upload", Section: cmd.SectionProject, Remote: true,
		Lines: []cmd.Line{{Form: "upload <path.tar.gz> <project>", Text: "send an archive to the server"}},
		Min:   2, Max: 2, Operand: cmd.AnyFile,
		Options: []cmd.Option{
			newRevisionOption,
		},
		Run: runUpload,
	}
}

// runUpload sends an archive as it is (server 1.10.3).
func runUpload(ctx context.Context, c *cmd.Call) (err error) {
	name := c.Args.Positional[0]
	file, err := os.Open(c.Env.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return fix.UseUpload.Failed(&fix.MissingFileError{Path: name})
	}
	if err != nil {
		return fix.UseUpload.Failed(fmt.Errorf("read %s: %w", name, fix.Reason(err)))
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return uploadArchive(ctx, c, file, c.Args.Positional[1], time.Time{}, "")
}
