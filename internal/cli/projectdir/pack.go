package projectdir

import (
	"context"
	"io"
	"strings"

	"github.com/trowel-project/trowel/internal/archive"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/terminal"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Load reads the project and makes the checks that Digdag makes before it packs an archive.
func Load(c *cmd.Call) (*dig.Project, error) {
	dir, err := Dir(c)
	if err != nil {
		return nil, err
	}
	project, err := dig.Load(dir)
	if err != nil {
		return nil, Refuse(c, dir, err)
	}
	return project, nil
}

// Pack writes the archive of a folder. It lists what goes into it, and says which folders of servers do not.
func Pack(ctx context.Context, c *cmd.Call, to io.Writer, dir string) error {
	var left serversWithin
	err := archive.Pack(ctx, to, dir, archive.PackOptions{
		LeaveOut:     left.leaveOut,
		CopyOutgoing: c.Args.Given("--copy-outgoing-symlinks"),
		Report: func(p archive.Packed) {
			terminal.Say(c.Env.Stdout, "  Archiving %s\n", p.Name)
			if p.Link != "" {
				terminal.Say(c.Env.Stdout, "    symlink -> %s\n", p.Link)
			}
		},
	})
	for _, folder := range left.folders {
		terminal.Say(c.Env.Stderr, "warning: left out the database and the key of the server in %s\n"+
			"fix: keep them outside of the project: start that server with -o and another folder\n", textutil.RelativePath(c.Env.Dir, folder))
	}
	return fix.UseOther.Failed(err)
}

// ListWorkflows prints the names of the workflow files, or warns that there are none.
func ListWorkflows(c *cmd.Call, project *dig.Project) {
	terminal.Say(c.Env.Stdout, "Workflows:\n")
	if len(project.Workflows) == 0 {
		terminal.Say(c.Env.Stdout, "%s\n\n", strings.Join([]string{
			"  WARNING: This project doesn't include workflows. Usually, this is a mistake.",
			"           Please make sure that all *.dig files are on the top directory.",
			"           *.dig files in subdirectories are not recognized as workflows.",
		}, "\n"))
	}
	for _, w := range project.Workflows {
		terminal.Say(c.Env.Stdout, "  %s.dig\n", w.Name)
	}
}
