package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Download returns the row of the command download.
func Download() cmd.Command {
	return cmd.Command{
		Name: "download", Section: cmd.SectionProject, Remote: true,
		Lines: []cmd.Line{{Form: "download <project>", Text: "fetch the files of a project"}},
		Min:   1, Max: 1,
		Options: []cmd.Option{
			cmd.TextOption("REVISION", "revision to fetch; default: the latest", "-r", "--revision"),
			cmd.TextOption("DIR", "folder to write to; default: the project's name", "-o", "--output").Offering(cmd.AnyFolder),
		},
		Run: remote(runDownload),
	}
}

// runDownload fetches a revision and writes its files into a folder (server 1.10.4).
func runDownload(ctx context.Context, c *cmd.Call, server *client.Client) error {
	project, err := findProject(ctx, server, c.Args.Positional[0])
	if err != nil {
		return err
	}
	revision := c.Args.Text("--revision")
	if revision == "" {
		revision = project.Revision
	}
	dir, err := downloadDir(c, project)
	if err != nil {
		return err
	}
	err = cmd.Interruptible(ctx, func(ctx context.Context) error {
		return fix.UseDownload.Failed(downloadRevision(ctx, c, server, project.ID, revision, dir))
	})
	if err != nil {
		return err
	}
	terminal.Say(c.Env.Stdout, "Extracted project '%s' revision '%s' to %s.\n", project.Name, revision, dir)
	return nil
}

// downloadDir returns the folder to write into: that of the option, or one with the name of the project. A name that
// was not typed, such as that of a project given by its id, must not lead out of the current folder.
func downloadDir(c *cmd.Call, project *api.Project) (string, error) {
	if dir := c.Args.Text("--output"); dir != "" {
		return dir, nil
	}
	name := project.Name
	if name != c.Args.Positional[0] && (strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || !filepath.IsLocal(name)) {
		return "", &cmd.ComplaintError{Text: fmt.Sprintf("the name of the project, %q, cannot be that of a folder here", name), Hint: "fix: name a folder with --output DIR"}
	}
	return name, nil
}

// maxDownload is the largest archive that is fetched. It equals the limit for what is unpacked.
const maxDownload = 16 << 30

// downloadRevision fetches the archive as a whole before anything is written.
func downloadRevision(ctx context.Context, c *cmd.Call, server *client.Client, project api.ID, revision, dir string) (err error) {
	body, err := server.FetchArchive(ctx, project, revision)
	if notFound(err) {
		return fmt.Errorf("Project archive of revision '%s' does not exist.", revision) //nolint:staticcheck,revive // Digdag's text, server 1.10.4
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	into := c.Env.Path(dir)
	if err := os.MkdirAll(into, 0o777); err != nil { //nolint:gosec // the umask decides
		return fmt.Errorf("download to %s: %w", dir, fix.Reason(err))
	}
	file, err := os.CreateTemp(into, "digdag.archive-*.tar.gz")
	if err != nil {
		return fmt.Errorf("download to %s: %w", dir, fix.Reason(err))
	}
	defer func() { err = errors.Join(err, discard(file)) }()
	if n, err := io.Copy(file, io.LimitReader(body, maxDownload+1)); err != nil {
		return fmt.Errorf("download the archive of revision %s: %w", revision, err)
	} else if n > maxDownload {
		return fmt.Errorf("download the archive of revision %s: it has more than %d GiB", revision, maxDownload>>30)
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
			terminal.Say(c.Env.Stdout, "  %s\n", name)
		},
	})
}
