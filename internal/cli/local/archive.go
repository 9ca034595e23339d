package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cli/projectdir"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/terminal"
)

// Archive returns the row of the command archive.
func Archive() cmd.Command {
	return cmd.Command{
		Name: "archive", Section: cmd.SectionProject,
		Lines: []cmd.Line{{Form: "archive", Text: "make an archive of a project without sending it"}},
		Usage: []string{"archive [options...]"},
		Options: []cmd.Option{
			cmd.ProjectOption,
			cmd.TextOption("FILE", "name of the archive", "-o", "--output").Or("digdag.archive.tar.gz").Offering(cmd.AnyFile),
			cmd.FlagOption("put in what links that leave the project point to", "--copy-outgoing-symlinks"),
		},
		Run: runArchive,
	}
}

// runArchive makes the archive of a project without sending it (server 1.10.2).
func runArchive(ctx context.Context, c *cmd.Call) error {
	name := c.Args.Text("--output")
	terminal.Say(c.Env.Stdout, "Creating %s...\n", name)
	project, err := projectdir.Load(c)
	if err != nil {
		return err
	}
	err = cmd.Interruptible(ctx, func(ctx context.Context) error {
		return writeArchive(ctx, c, project, c.Env.Path(name))
	})
	if err != nil {
		return err
	}
	terminal.Say(c.Env.Stdout, "Created %s.\n", name)
	terminal.Say(c.Env.Stdout, "Use `%s upload <path.tar.gz> <project> <revision>` to upload it a server.\n\n  Examples:\n", c.Program)
	terminal.Say(c.Env.Stdout, "    $ %s upload %s $(basename $(pwd)) -r $(date +%%Y%%m%%d-%%H%%M%%S)\n", c.Program, name)
	terminal.Say(c.Env.Stdout, "    $ %s upload %s $(git rev-parse --abbrev-ref HEAD) -r $(git rev-parse HEAD)\n\n", c.Program, name)
	return nil
}

// writeArchive writes an archive under another name, hidden so that it does not become part of itself, and
// renames it when it is complete. A device is written directly.
func writeArchive(ctx context.Context, c *cmd.Call, project *dig.Project, path string) error {
	partly := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		partly = path
	}
	file, err := os.OpenFile(partly, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666) //nolint:gosec // the umask decides
	if err != nil {
		return fix.UseArchive.Failed(fmt.Errorf("write %s: %w", path, fix.Reason(err)))
	}
	err = projectdir.Pack(ctx, c, file, project.Dir)
	if errClose := file.Close(); err == nil {
		err = fix.UseArchive.Failed(errClose)
	}
	switch {
	case partly == path:
		return err
	case err != nil:
		return errors.Join(err, os.Remove(partly))
	}
	return fix.UseArchive.Failed(os.Rename(partly, path))
}
