package operator

import (
	"cmp"
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

// Option is a row of an operator's options.
type Option struct {
	Key, Type string // the name, and what it holds
	Doc       string // what it is for, with its default
	Default   string // what holds without it; empty for nothing
	Since     string // the version of Trowel from which on it is known
	Differs   string // how it differs from Digdag 0.10; empty if it does not
}

// OptionTable returns the command of an operator, if it takes one, and its options.
func (d Definition) OptionTable(name string) []Option {
	var options []Option
	if d.NeedsCommand || d.Command.Doc != "" {
		options = append(options, d.option(name+">", d.Command))
	}
	for _, key := range slices.Sorted(maps.Keys(d.Keys)) {
		options = append(options, d.option(key, d.Keys[key]))
	}
	return options
}

func (d Definition) option(key string, v dig.Value) Option {
	return Option{key, v.Type(), v.Description(), v.Default, cmp.Or(v.Since, d.Since, firstVersion), cmp.Or(v.Differs, d.Differs)}
}

// firstVersion is the version of Trowel that has what says nothing else.
const firstVersion = "0.1"

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

// optionsHead begins docs/reference/options.md.
const optionsHead = `# Options of operators

All options of all operators. This page is made from the operators' own tables; [the operators](operators.md) have examples. Any parameter in scope with the name of an option
counts as that option, as in Digdag. An empty cell of the default means that nothing is done without the option, or that it is required.

| operator | option | type | default | since | as in Digdag 0.10 |
|---|---|---|---|---|---|
`

// OptionsDocument returns the text of docs/reference/options.md.
func (t Table) OptionsDocument() string {
	var b strings.Builder
	b.WriteString(optionsHead)
	for _, name := range t.Names() {
		for _, o := range t[name].OptionTable(name) {
			fmt.Fprintf(&b, "| [`%s>`](operators.md#%s) | `%s` | %s | %s | %s | %s |\n", name, name, o.Key, o.Type, o.Default, o.Since, cmp.Or(o.Differs, "yes"))
		}
	}
	return b.String()
}
