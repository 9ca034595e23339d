package dig

import (
	"fmt"
	"io"
	"strings"
)

// Severity says what becomes of a finding.
type Severity uint8

// Severities.
const (
	SeverityError   Severity = iota + 1 // Digdag refuses the project, and so does Trowel
	SeverityWarning                     // the project is accepted; a task will probably fail
)

func (s Severity) String() string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	default:
		return fmt.Sprintf("severity(%d)", uint8(s))
	}
}

// Place is where something stands in a project.
type Place struct {
	File   string // slash path from the project's root
	Line   int    // from 1
	Column int    // from 1, in characters
}

// String is the place as editors read it: file:line:column.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Finding is one thing that is wrong in a project, for people.
type Finding struct {
	Place
	Severity Severity
	Message  string // Digdag's text for an error, ours for a warning
	Source   string // the line itself
	Hint     string // how to mend it; may be empty
	ID       string // of a finding about what Trowel adds to the language (control K121); else empty
}

// Sequences of terminals.
const (
	ansiBold   = "\x1b[1m"
	ansiRed    = "\x1b[31m"
	ansiYellow = "\x1b[33m"
	ansiGreen  = "\x1b[32m"
	ansiReset  = "\x1b[0m"
)

// Render writes findings for people: place and message, the line with a marker below, and how to
// mend it. As with other output for people, an error of w is not told.
func Render(w io.Writer, findings []Finding, colour bool) {
	paint := func(code, text string) string {
		if !colour || text == "" {
			return text
		}
		return code + text + ansiReset
	}
	var b strings.Builder
	for _, f := range findings {
		code := ansiRed
		if f.Severity == SeverityWarning {
			code = ansiYellow
		}
		message := strings.ReplaceAll(strings.TrimRight(f.Message, "\n"), "\n", "\n    ")
		if f.ID != "" {
			message += " [" + f.ID + "]"
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", paint(ansiBold, f.String()), paint(code, f.Severity.String()), message)
		if f.Source != "" {
			line, marker := marked(f.Source, f.Column)
			fmt.Fprintf(&b, "    %s\n    %s\n", line, paint(code, marker))
		}
		if f.Hint != "" {
			fmt.Fprintf(&b, "    %s %s\n", paint(ansiGreen, "fix:"), f.Hint)
		}
	}
	_, _ = io.WriteString(w, b.String())
}

// shownWidth is how many characters of a line are shown.
const shownWidth = 120

// marked returns a line, cut if it is long, and the marker that stands below its column.
func marked(source string, column int) (line, marker string) {
	before, after := []rune(source), []rune(nil)
	if column-1 < len(before) {
		before, after = before[:column-1], before[column-1:]
	}
	if len(before) > shownWidth/2 {
		before = append([]rune("..."), before[len(before)-shownWidth/2:]...)
	}
	if len(after) > shownWidth-len(before) {
		after = append(after[:shownWidth-len(before):shownWidth-len(before)], []rune("...")...)
	}
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
	return string(before) + string(after), indent + "^"
}
