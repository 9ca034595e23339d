package cmd

import (
	"io"
	"regexp"
	"strings"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/terminal"
)

// writeOperators lists all operators.
func writeOperators(w io.Writer, program string, table operator.Table) {
	terminal.Say(w, "Operators: what a task runs, as in `echo>: hello`\n\n")
	for _, name := range table.Names() {
		writeColumns(w, name+">", table[name].Doc, optionColumn)
	}
	terminal.Say(w, "\n  Use `%s help OPERATOR` to show the options of one, and examples.\n", program)
}

// writeOperator writes what an operator does, its options and examples.
func writeOperator(w io.Writer, table operator.Table, name string) {
	d := table[name]
	terminal.Say(w, "%s> %s\n", name, d.Doc)
	if options := d.OptionTable(name); len(options) > 0 {
		terminal.Say(w, "\n  Options:\n")
		for _, o := range options {
			writeColumns(w, o.Key+": "+withoutMarks(o.Type), withoutMarks(o.Doc), optionColumn)
		}
	}
	terminal.Say(w, "\n")
	writePlain(w, table.Manual(name))
}

// writePlain writes Markdown for a terminal: paragraphs are wrapped, and code is indented.
func writePlain(w io.Writer, markdown string) {
	var paragraph []string
	end := func() {
		for _, line := range wrapped(withoutMarks(strings.Join(paragraph, " ")), proseWidth) {
			terminal.Say(w, "  %s\n", line)
		}
		paragraph = nil
	}
	inCode := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\n")
		isFence := strings.HasPrefix(line, "```")
		if isFence || line == "" {
			end()
		}
		switch {
		case isFence:
			inCode = !inCode
		case line == "":
			terminal.Say(w, "\n")
		case inCode:
			terminal.Say(w, "      %s\n", line)
		default:
			paragraph = append(paragraph, line)
		}
	}
	end()
}

// proseWidth is how wide text for people is.
const proseWidth = 76

var markdownLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// withoutMarks removes the markup from Markdown, but not inside back quotes.
func withoutMarks(text string) string {
	return strings.ReplaceAll(markdownLink.ReplaceAllString(text, "$1"), "**", "")
}

// wrapped breaks a text into lines of a width, between words; an empty text has none.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line == "" {
		return lines
	}
	return append(lines, line)
}
