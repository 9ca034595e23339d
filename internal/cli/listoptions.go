package cli

import (
	"github.com/trowel-project/trowel/internal/textutil"
)

// Lists of options that several commands have. They are tables: nobody changes them.
//
//nolint:gochecknoglobals // tables that are only read
var (
	// jsonOption makes a listing a document for programs. It is ours.
	jsonOption = flagOption("write the server's answer, as one JSON document", "--json")

	// waitOption makes a start one that a script can build on.
	waitOption = flagOption("follow the attempt until it has ended; exit 1 if it did not succeed", "--wait")

	// noteOption says why, for the audit.
	noteOption = textOption("TEXT", "why; the audit shows it", "-m", "--note")

	// pageOptions are the options of commands that list page by page (server 1.10.11).
	pageOptions = []option{
		textOption("ID", "show what comes before this id", "-i", "--last-id"),
		intOption("N", "show at most N", "-s", "--page-size"),
		textOption("STATUS", "show only those of this status: "+textutil.CommaList(attemptStatuses()), "--status").
			offering(oneOf(attemptStatuses()...)).checked(knownStatus),
		textOption("PROJECT", "show only those of this project", "--project"),
		textOption("NAME", "show only those of this workflow of the project", "--workflow"),
		textOption("TIME", "show only those that began since then, as in 12h, 7d, yesterday, 18:00 or \"yyyy-MM-dd HH:mm:ss\"", "--since"),
		textOption("CURSOR", "show what comes after a page with filters, whose last line has it", "--next"),
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
