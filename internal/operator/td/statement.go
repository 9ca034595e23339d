package td

import (
	"fmt"
	"regexp"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

var (
	// insertLine is the line that a command replaces.
	insertLine = regexp.MustCompile(`(?m)^--[ \t]*DIGDAG_INSERT_LINE[^\r\n]*`)
	// commentsFirst is a text that begins with lines of comments, before a single line that has no end.
	commentsFirst = regexp.MustCompile(`\A([\r\n\t ]*(?:(?:\A|\n)--[^\n]*)+)\n?([^\n\r\x{85}\x{2028}\x{2029}]*)\z`)
)

// withCommand puts a command into a query: in place of the line that marks its place, between comments and a single
// line, or else before everything (operators 8.2).
func withCommand(text, command string) string {
	if at := insertLine.FindStringIndex(text); at != nil {
		return text[:at[0]] + command + text[at[1]:]
	}
	if parts := commentsFirst.FindStringSubmatch(text); parts != nil {
		return parts[1] + "\n" + command + "\n" + parts[2]
	}
	return command + "\n" + text
}

// commentsOf returns the comments that say who has sent a statement.
func commentsOf(lease *trowel.Lease) string {
	c := lease.Context
	var b strings.Builder
	for _, line := range []struct {
		name  string
		value any
	}{
		{"project_id", c.Project.ID},
		{"project_name", c.Project.Name},
		{"workflow_name", c.Session.Workflow},
		{"session_id", c.Session.ID},
		{"attempt_id", lease.AttemptID},
		{"task_name", lease.FullName},
	} {
		value := strings.NewReplacer("\r", " ", "\n", " ").Replace(fmt.Sprint(line.value))
		fmt.Fprintf(&b, "-- %s: %s\n", line.name, value)
	}
	return b.String()
}
