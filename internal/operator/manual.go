package operator

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
)

// manuals has a page about each operator with examples. A test runs the commands in them.
//
//go:embed doc/*.md
var manuals embed.FS

// manualHead begins docs/reference/operators.md.
const manualHead = `# Operators

What is behind the key that ends with ` + "`>`" + `. This page is made from the operators' own tables; ` + "`trowel help OPERATOR`" + ` shows a part of it. The exact
rules are in [docs/spec/operators.md](../spec/operators.md).

Options stand beside the operator, or in a parameter of their name: ` + "`_export: {shell: [bash]}`" + ` is for all tasks below. Where it says so they may also stand in a block of the operator's
name: ` + "`_export: {sh: {shell: [bash]}}`" + `. All operators take the [directives](language.md#tasks).

| operator | |
|---|---|
`

// Manual returns what an operator does, with examples, as Markdown without its options. It is empty for an unknown
// operator.
func (t Table) Manual(name string) string {
	if _, ok := t[name]; !ok {
		return ""
	}
	text, err := manuals.ReadFile("doc/" + name + ".md")
	if err != nil {
		return ""
	}
	return string(text)
}

// Document returns the text of docs/reference/operators.md.
func (t Table) Document() string {
	var b strings.Builder
	b.WriteString(manualHead)
	for _, name := range t.Names() {
		fmt.Fprintf(&b, "| [`%s>`](#%s) | %s |\n", name, name, t[name].Doc)
	}
	for _, name := range t.Names() {
		d := t[name]
		fmt.Fprintf(&b, "\n## %s\n\n`%s>` %s.\n", name, name, d.Doc)
		if options := d.OptionTable(name); len(options) > 0 {
			b.WriteString("\n| | | |\n|---|---|---|\n")
			for _, o := range options {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.Key, o.Type, o.Doc)
			}
		}
		if notes := d.notes(); notes != "" {
			b.WriteString("\n" + notes + "\n")
		}
		b.WriteString("\n" + t.Manual(name))
	}
	return b.String()
}

// Option is a row of an operator's options: a key, what it holds, and what it is for.
type Option struct{ Key, Type, Doc string }

// OptionTable returns the command of an operator, if it takes one, and its options.
func (d Definition) OptionTable(name string) []Option {
	var options []Option
	if d.NeedsCommand || d.Command.Doc != "" {
		options = append(options, option(name+">", d.Command))
	}
	for _, key := range slices.Sorted(maps.Keys(d.Keys)) {
		options = append(options, option(key, d.Keys[key]))
	}
	return options
}

func option(key string, v dig.Value) Option { return Option{key, v.Type(), v.Doc} }

// notes returns what the table says besides options.
func (d Definition) notes() string {
	var notes []string
	if len(d.Blocks) == 1 {
		notes = append(notes, fmt.Sprintf("Options may stand in a block `%s:`.", d.Blocks[0]))
	} else if len(d.Blocks) > 1 {
		notes = append(notes, fmt.Sprintf("Options may stand in the blocks `%s:`, of which the first comes first.", strings.Join(d.Blocks, ":`, `")))
	}
	if !d.Wrapped {
		notes = append(notes, "`_retry` runs again what it has generated, not the operator itself.")
	}
	return strings.Join(notes, " ")
}
