package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// runArchive makes the archive of a project without sending it (server 1.10.2).
func runArchive(ctx context.Context, c *call) error {
	name := c.args.text("--output")
	terminal.Say(c.env.Stdout, "Creating %s...\n", name)
	project, err := loadForArchive(c)
	if err != nil {
		return err
	}
	err = interruptible(ctx, func(ctx context.Context) error {
		return writeArchive(ctx, c, project, c.env.path(name))
	})
	if err != nil {
		return err
	}
	terminal.Say(c.env.Stdout, "Created %s.\n", name)
	terminal.Say(c.env.Stdout, "Use `%s upload <path.tar.gz> <project> <revision>` to upload it a server.\n\n  Examples:\n", c.program)
	terminal.Say(c.env.Stdout, "    $ %s upload %s $(basename $(pwd)) -r $(date +%%Y%%m%%d-%%H%%M%%S)\n", c.program, name)
	terminal.Say(c.env.Stdout, "    $ %s upload %s $(git rev-parse --abbrev-ref HEAD) -r $(git rev-parse HEAD)\n\n", c.program, name)
	return nil
}

// loadForArchive reads the project as far as Digdag's loader checks it before it makes an archive.
func loadForArchive(c *call) (*dig.Project, error) {
	dir, err := projectDir(c)
	if err != nil {
		return nil, err
	}
	project, err := dig.Load(dir)
	if err != nil {
		return nil, refuseProject(c, dir, err)
	}
	return project, nil
}

// writeArchive makes an archive under another name, hidden so that it is not put into itself, and
// gives it its own name when it is whole. A device is written to as it is.
func writeArchive(ctx context.Context, c *call, project *dig.Project, path string) error {
	partly := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		partly = path
	}
	file, err := os.OpenFile(partly, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666) //nolint:gosec // the umask decides
	if err != nil {
		return fix.UseArchive.Failed(fmt.Errorf("write %s: %w", path, fix.Reason(err)))
	}
	err = packProject(ctx, c, file, project.Dir)
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

// packProject writes the archive of a folder, lists what goes into it, and says which folders of a server do not.
func packProject(ctx context.Context, c *call, to io.Writer, dir string) error {
	var left serversWithin
	err := archive.Pack(ctx, to, dir, archive.PackOptions{
		LeaveOut:     left.leaveOut,
		CopyOutgoing: c.args.given("--copy-outgoing-symlinks"),
		Report: func(p archive.Packed) {
			terminal.Say(c.env.Stdout, "  Archiving %s\n", p.Name)
			if p.Link != "" {
				terminal.Say(c.env.Stdout, "    symlink -> %s\n", p.Link)
			}
		},
	})
	for _, folder := range left.folders {
		terminal.Say(c.env.Stderr, "warning: left out the database and the key of the server in %s\n"+
			"fix: keep them outside of the project: start that server with -o and another folder\n", textutil.RelativePath(c.env.Dir, folder))
	}
	return fix.UseOther.Failed(err)
}

// listWorkflows prints the names of the workflow files, or warns that there are none.
func listWorkflows(c *call, project *dig.Project) {
	terminal.Say(c.env.Stdout, "Workflows:\n")
	if len(project.Workflows) == 0 {
		terminal.Say(c.env.Stdout, "%s\n\n", strings.Join([]string{
			"  WARNING: This project doesn't include workflows. Usually, this is a mistake.",
			"           Please make sure that all *.dig files are on the top directory.",
			"           *.dig files in subdirectories are not recognized as workflows.",
		}, "\n"))
	}
	for _, w := range project.Workflows {
		terminal.Say(c.env.Stdout, "  %s.dig\n", w.Name)
	}
}
