package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/client"
)

// runDownload fetches a revision and writes its files into a folder (server 1.10.4).
func runDownload(ctx context.Context, c *call, server *client.Client) error {
	project, err := findProject(ctx, server, c.args.positional[0])
	if err != nil {
		return err
	}
	revision := c.args.text("--revision")
	if revision == "" {
		revision = project.Revision
	}
	dir := c.args.text("--output")
	if dir == "" {
		dir = project.Name
	}
	err = interruptible(ctx, func(ctx context.Context) error {
		return useDownload.failed(c.download(ctx, server, project.ID, revision, dir))
	})
	if err != nil {
		return err
	}
	say(c.env.Stdout, "Extracted project '%s' revision '%s' to %s.\n", project.Name, revision, dir)
	return nil
}

// download fetches the archive as a whole before anything is written.
func (c *call) download(ctx context.Context, server *client.Client, project api.ID, revision, dir string) (err error) {
	body, err := server.FetchArchive(ctx, project, revision)
	if notFound(err) {
		return fmt.Errorf("Project archive of revision '%s' does not exist.", revision) //nolint:staticcheck,revive // Digdag's text, server 1.10.4
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	into := c.env.path(dir)
	if err := os.MkdirAll(into, 0o777); err != nil { //nolint:gosec // the umask decides
		return fmt.Errorf("download to %s: %w", dir, reason(err))
	}
	file, err := os.CreateTemp(into, "digdag.archive-*.tar.gz")
	if err != nil {
		return fmt.Errorf("download to %s: %w", dir, reason(err))
	}
	defer func() { err = errors.Join(err, discard(file)) }()
	if _, err := io.Copy(file, body); err != nil {
		return fmt.Errorf("download the archive of revision %s: %w", revision, err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("download to %s: %w", dir, err)
	}
	return archive.Unpack(ctx, file, into, archive.UnpackOptions{
		Report: func(u archive.Unpacked) {
			name := filepath.Join(dir, filepath.FromSlash(u.Name))
			if u.Link != "" {
				name += " -> " + u.Link
			}
			say(c.env.Stdout, "  %s\n", name)
		},
	})
}
