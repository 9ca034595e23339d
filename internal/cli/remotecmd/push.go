package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/cli/projectdir"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/terminal"
)

// tempFolder is where push keeps its archive, below the current folder (server 1.10.1).
const tempFolder = ".digdag/tmp"

// Push returns the row of the command push.
func Push() cmd.Command {
	return cmd.Command{
		Name: "push", Section: cmd.SectionProject, Remote: true,
		Lines: []cmd.Line{{Form: "push <project>", Text: "make an archive of a project and send it to the server"}},
		Usage: []string{"push <project> -r <revision>"},
		Min:   1, Max: 1,
		Options: []cmd.Option{
			cmd.ProjectOption,
			newRevisionOption,
			cmd.TextOption("TIME", "start schedules from then: \"yyyy-MM-dd HH:mm:ss Z\" or UNIX seconds; default: now",
				"--schedule-from"),
			cmd.FlagOption("send what links that leave the project point to", "--copy-outgoing-symlinks"),
		},
		Run: runPush,
	}
}

// runPush makes an archive of a project and sends it (server 1.10.1).
func runPush(ctx context.Context, c *cmd.Call) error {
	var from time.Time
	if c.Args.Given("--schedule-from") {
		at, err := instantOption(c, "--schedule-from", "--schedule-from")
		if err != nil {
			return err
		}
		from = at
	}
	return cmd.Interruptible(ctx, func(ctx context.Context) (err error) {
		file, shown, err := tempArchive(c)
		if err != nil {
			return fix.UsePushed.Failed(fmt.Errorf("make an archive: %w", err))
		}
		defer func() { err = errors.Join(err, discard(file)) }()
		terminal.Say(c.Env.Stdout, "Creating %s...\n", shown)
		project, err := projectdir.Load(c)
		if err != nil {
			return err
		}
		if err := projectdir.Pack(ctx, c, file, project.Dir); err != nil {
			return err
		}
		projectdir.ListWorkflows(c, project)
		return uploadArchive(ctx, c, file, c.Args.Positional[0], from, project.Dir)
	})
}

// tempArchive creates the file for the archive. It is shown with its full path if the folder had to be created, as in
// Digdag.
func tempArchive(c *cmd.Call) (file *os.File, shown string, err error) {
	dir := filepath.Join(c.Env.Dir, tempFolder)
	_, err = os.Stat(dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(dir, 0o777); err != nil { //nolint:gosec // the umask decides
		return nil, "", err
	}
	file, err = os.CreateTemp(dir, "archive-*.tar.gz")
	if err != nil {
		return nil, "", err
	}
	if isNew {
		return file, file.Name(), nil
	}
	return file, filepath.Join(tempFolder, filepath.Base(file.Name())), nil
}

// discard closes and removes a temporary file.
func discard(file *os.File) error {
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// uploadArchive sends an archive as a revision of a project and shows the result. dir is the folder
// of the project; empty if only the archive is known.
func uploadArchive(ctx context.Context, c *cmd.Call, file *os.File, project string, from time.Time, dir string) error {
	revision := c.Args.Text("--revision")
	switch {
	case !c.Args.Given("--revision"):
		revision = uuid.NewString()
	case revision == "":
		return c.UsageError("revision cannot be empty")
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("send the archive: %w", err)
	}
	if _, err := file.Seek(0, 0); err != nil {
		return fmt.Errorf("send the archive: %w", err)
	}
	send := func(ctx context.Context, c *cmd.Call, server *client.Client) error {
		if dir != "" {
			warnings := slices.DeleteFunc(projectdir.Findings(dir), func(f dig.Finding) bool {
				return f.Severity == dig.SeverityError // the server reports them
			})
			projectdir.ShowWarnings(c, warnings, dir)
		}
		pushed, err := server.PushProject(ctx, client.Push{
			Project: project, Revision: revision, ScheduleFrom: from, Archive: file, Size: info.Size(),
		})
		if err != nil {
			return pushRefused(c, err)
		}
		terminal.Say(c.Env.Stdout, "Uploaded:\n  id: %s\n  name: %s\n  revision: %s\n  archive type: %s\n", pushed.ID, pushed.Name, pushed.Revision, pushed.ArchiveType)
		terminal.Say(c.Env.Stdout, "  project created at: %s\n  revision updated at: %s\n\n", pushed.CreatedAt, pushed.UpdatedAt)
		workflows := c.Program + " workflows"
		if c.Env.Terminals.Stdout {
			workflows = c.Hinted("workflows")
		}
		terminal.Say(c.Env.Stdout, "Use `%s` to show all workflows.\n", workflows)
		if dir != "" {
			warnOfPools(ctx, c, server, dir, project)
			warnOfLimits(ctx, c, server, dir)
		}
		return nil
	}
	return remote(send)(ctx, c)
}

// pushRefused shows all findings of the server in the project, after the error itself.
func pushRefused(c *cmd.Call, err error) error {
	findings := findingsOf(err)
	if len(findings) == 0 {
		return err
	}
	if !c.Env.Terminals.Stderr {
		terminal.Say(c.Env.Stderr, "error: %s\n\n", serverErrorText(err))
	}
	dig.Render(c.Env.Stderr, findings, c.Env.Colour())
	return &cmd.ExitError{Code: cmd.ExitFailure}
}
