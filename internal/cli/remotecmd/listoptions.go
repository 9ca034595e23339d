package remotecmd

import (
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/textutil"
)

// Lists of options that several commands have. They are tables: nobody changes them.
//
//nolint:gochecknoglobals // tables that are only read
var (
	// jsonOption prints a list as JSON. Digdag does not have it.
	jsonOption = cmd.FlagOption("write the server's answer, as one JSON document", "--json")

	// waitOption makes a command wait for the end of the attempt, for scripts.
	waitOption = cmd.FlagOption("follow the attempt until it has ended; exit 1 if it did not succeed", "--wait")

	// noteOption is the reason that goes into the audit.
	noteOption = cmd.TextOption("TEXT", "why; the audit shows it", "-m", "--note")

	// newRevisionOption names what a project's files become.
	newRevisionOption = cmd.TextOption("REVISION", "name of the revision; default: a random one", "-r", "--revision")

	// Options of lists of projects and workflows (server 1.10.5, 1.10.6).
	afterOption   = cmd.TextOption("ID", "show what comes after this id", "--last-id")
	countOption   = cmd.IntOption("N", "show at most N", "--count").Or("100")
	patternOption = cmd.TextOption("PATTERN", "show those whose name contains this", "--name")

	// pageOptions are the options of commands that list page by page (server 1.10.11).
	pageOptions = []cmd.Option{
		cmd.TextOption("ID", "show what comes before this id", "-i", "--last-id"),
		cmd.IntOption("N", "show at most N", "-s", "--page-size"),
		cmd.TextOption("STATUS", "show only those of this status: "+textutil.CommaList(attemptStatuses()), "--status").
			Offering(cmd.OneOf(attemptStatuses()...)).Checked(knownStatus),
		cmd.TextOption("PROJECT", "show only those of this project", "--project"),
		cmd.TextOption("NAME", "show only those of this workflow of the project", "--workflow"),
		cmd.TextOption("TIME", "show only those that began since then, as in 12h, 7d, yesterday, 18:00 or \"yyyy-MM-dd HH:mm:ss\"", "--since"),
		cmd.TextOption("CURSOR", "show what comes after a page with filters, whose last line has it", "--next"),
		jsonOption,
	}
)

// ascOrDesc checks workflows --order (server 1.10.6).
func ascOrDesc(value string) string {
	if value == "asc" || value == "desc" {
		return ""
	}
	return "Invalid parameter value for --order: " + value
}
