package cli

import "context"

// runHelp writes a usage text to standard output, where --help writes it to standard error as
// Digdag does, so that it can be piped to a pager.
func runHelp(_ context.Context, c *call) error {
	if c.args.given("--man") {
		writeManual(c.env.Stdout, c.commands)
		return nil
	}
	if len(c.args.positional) == 0 {
		writeGlobalUsage(c.env.Stdout, c.program, c.commands)
		return nil
	}
	name := c.args.positional[0]
	about := find(c.commands, name)
	if about == nil {
		return complainf("%s is no command of %s", name, c.program).
			hinting("%s", didYouMean(nearCommand(c.commands, name)))
	}
	writeUsage(c.env.Stdout, c.program, about, about.forms())
	return nil
}
