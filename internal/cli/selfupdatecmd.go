package cli

import "context"

// selfupdateRow is the row of the command selfupdate.
func selfupdateRow() command {
	return command{
		name: "selfupdate", section: sectionOther,
		lines: []line{{"selfupdate [version]", "replace this program by a newer one"}},
		usage: []string{"selfupdate [version]]"}, // the second bracket is Digdag's
		max:   1,
		options: []option{
			textOption("URL", "where to fetch it", "-e", "--endpoint").or("http://dl.digdag.io"),
		},
		run: runSelfupdate,
	}
}

// runSelfupdate says how to upgrade. Digdag's replaces the program by what a server of its own hands
// out (server 1.9.7); this program is installed and upgraded like any other.
func runSelfupdate(_ context.Context, c *call) error {
	return &complaint{
		text: c.program + " does not replace itself",
		hint: "upgrade it the way it was installed: with the package manager, by pulling the image, or with\n\n" +
			"    go install github.com/trowel-project/trowel/cmd/trowel@latest\n\n" +
			"https://github.com/trowel-project/trowel/releases has all versions",
	}
}
