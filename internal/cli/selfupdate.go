package cli

import (
	"context"

	"github.com/trowel-project/trowel/internal/cli/cmd"
)

// selfupdateRow returns the row of the command selfupdate.
func selfupdateRow() cmd.Command {
	return cmd.Command{
		Name: "selfupdate", Section: cmd.SectionOther,
		Lines: []cmd.Line{{Form: "selfupdate [version]", Text: "replace this program by a newer one"}},
		Usage: []string{"selfupdate [version]]"}, // the second bracket is Digdag's
		Max:   1,
		Options: []cmd.Option{
			cmd.TextOption("URL", "where to fetch it", "-e", "--endpoint").Or("http://dl.digdag.io"),
		},
		Run: runSelfupdate,
	}
}

// runSelfupdate says how to upgrade. Digdag's selfupdate replaces the program with one from its
// server (server 1.9.7); this program is installed and upgraded like any other.
func runSelfupdate(_ context.Context, c *cmd.Call) error {
	return &cmd.ComplaintError{
		Text: c.Program + " does not replace itself",
		Hint: "upgrade it the way it was installed: with the package manager, by pulling the image, or with\n\n" +
			"    go install github.com/trowel-project/trowel/cmd/trowel@latest\n\n" +
			"https://github.com/trowel-project/trowel/releases has all versions",
	}
}
