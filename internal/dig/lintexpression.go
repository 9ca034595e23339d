package dig

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Texts of warnings about expressions.
const (
	expressionWrong    = "the expression %s cannot be read: %s"
	expressionUnclosed = "the expression %s is not closed, so it is shown as it is"
)

// maxExpressions is how many bytes of texts with expressions one check compiles.
const maxExpressions = 4 << 20

// expressions inspects the expressions of a task: those of its own keys, if it has an operator, and those of its
// exports. The bodies below are inspected separately.
func (in *inspection) expressions(t tree, index int) {
	if in.catalog.Expression == nil || in.only != "" {
		return
	}
	task := &t.compiler.tasks[index]
	if !task.Group {
		for key, value := range task.Local.All() {
			if key != keyCheck && key != keyError {
				in.expression(t, index, value, key)
			}
		}
	}
	for key, value := range task.Export.All() {
		in.expression(t, index, value, keyExport, key)
	}
}

// expression inspects the expressions of the value at a path of keys.
func (in *inspection) expression(t tree, index int, value param.Value, path ...string) {
	last := path[len(path)-1]
	if last == keyDo || last == keyElseDo { // not evaluated (language T3)
		return
	}
	switch value := value.(type) {
	case *param.Map:
		for key, inner := range value.All() {
			in.expression(t, index, inner, append(slices.Clone(path), key)...)
		}
	case param.List:
		for _, item := range value {
			in.expression(t, index, item, path...)
		}
	case string:
		if !in.wants(t.file, "") {
			return
		}
		if isTemplate(value) {
			in.text(t, index, value, path)
		}
		in.foreign(t, index, value, path)
	}
}

// foreign warns of a template of another system in a text.
func (in *inspection) foreign(t tree, index int, text string, path []string) {
	found, message, hint := foreign(text)
	if found == "" {
		return
	}
	at := in.sources.locate(t.file, append(t.path(problem{task: index}), path...))
	in.tell(Finding{
		Place: in.sources.find(at, found), Severity: SeverityWarning, Rule: ruleExpression,
		Message: fmt.Sprintf(message, shortened(found)), Hint: hint,
	})
}

// text inspects the expressions of one text.
func (in *inspection) text(t tree, index int, text string, path []string) {
	known, ok := in.compiled[text]
	if !ok {
		if in.compiledBytes += len(text); in.compiledBytes > maxExpressions {
			return
		}
		known[0], known[1] = in.catalog.Expression(text)
		in.compiled[text] = known
	}
	code, fault := known[0], known[1]
	if code == "" {
		return
	}
	first, _, _ := strings.Cut(code, "\n")
	message, hint := fmt.Sprintf(expressionWrong, shortened(code), fault), ShellMend(code)
	if fault == "" {
		message, hint = fmt.Sprintf(expressionUnclosed, shortened(first)), "add the closing brace }"
	}
	at := in.sources.locate(t.file, append(t.path(problem{task: index}), path...))
	in.tell(Finding{
		Place: in.sources.find(at, first), Severity: SeverityWarning, Rule: ruleExpression, Message: message, Hint: hint,
	})
}

// find returns the place of a text that is written at a place or in the more deeply indented lines that belong to it. It
// returns the place itself if the text is written in another form.
func (s *sources) find(at Place, text string) Place {
	src := s.get(at.File)
	if src == nil || text == "" {
		return at
	}
	for number := at.Line; ; number++ {
		line := src.line(number)
		if number > at.Line && strings.TrimSpace(line) != "" && indentation(line) < at.Column {
			if strings.TrimLeft(line, " ")[0] != '-' || indentation(line) < at.Column-1 { // an item of a list may stand below its key
				return at
			}
		}
		if number > len(src.lines) {
			return at
		}
		from := 0
		if number == at.Line {
			from = min(len(string([]rune(line)[:min(at.Column-1, len([]rune(line)))])), len(line))
		}
		if i := strings.Index(line[from:], text); i >= 0 {
			return Place{File: at.File, Line: number, Column: len([]rune(line[:from+i])) + 1}
		}
	}
}

// FindWithin returns the place of a word in the lines of a task that begins at a place. It returns that place if the
// word is not there. files is the project.
func FindWithin(files fs.FS, at Place, word string) Place {
	src := newSources(&loader{files: files})
	found := src.find(at, word)
	if found != at && src.get(at.File) != nil {
		line := []rune(src.get(at.File).line(found.Line))
		before, _, ok := strings.Cut(string(line[:found.Column-1]), "#")
		if ok && strings.TrimSpace(before) == "" { // a comment
			return at
		}
	}
	return found
}

// indentation returns the number of blanks that a line begins with.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
