package dig

import (
	"regexp"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Lines that are not YAML because a character is missing.
var (
	// gluedLine has an operator, a directive or a task with a colon that no blank follows.
	gluedLine = regexp.MustCompile(`^(\s*(?:- )?)(\w+>|_\w+|\+[\w.=-]+|timezone|schedule|sla):([^\s:/].*)$`)
	// bareTask has a task, a directive or an operator without its colon.
	bareTask = regexp.MustCompile(`^(\s*)(\+[\w.=-]+|_(?:do|else_do|error|check|export|env|secrets)|schedule|sla)\s*(?:#.*)?$`)
	// bareOperator has an operator and its value, without the colon between them.
	bareOperator = regexp.MustCompile(`^(\s*(?:- )?)(\w+>|timezone|_\w+)[ \t]+(?:=[ \t]*)?([^\s:=].*)$`)
	// wideColon has a colon of another script, which Chinese and Japanese keyboards produce.
	wideColon = regexp.MustCompile(`^(\s*(?:- )?)(\w+>|_\w+|\+[\w.=-]+|timezone|schedule|sla)\s*[：﹕︰]\s*(.*)$`)
	// gluedInclude has a colon without a blank before it, which therefore belongs to the tag.
	gluedInclude = regexp.MustCompile(`^(\s*(?:- )?)(!include):\s+(.*)$`)
	// blockKey begins a text in lines of its own.
	blockKey = regexp.MustCompile(`^\s*(?:- )?([^\s:]+):\s+[|>][-+0-9]*\s*(?:#.*)?$`)
	// halfQuoted has a value that begins like a quoted text or a collection and goes on after it.
	halfQuoted = regexp.MustCompile(`^\s*(?:- )?([^\s:]+:)\s+([{\["'].*)$`)
)

// typo looks for the usual causes of an error of YAML in its line and the lines before, as
// a parser notices them later.
func (in *inspection) typo(f Finding) Finding {
	src := in.sources.get(f.File)
	if src == nil || f.Rule != ruleSyntax {
		return f
	}
	if strings.Contains(f.Message, "special characters") && isUTF16(src.text) {
		f.Message, f.Hint, f.Rule, f.Source = "the file is written in UTF-16", "save the file as UTF-8", ruleEncoding, ""
		return f
	}
	if strings.Contains(f.Message, "(TAB)") {
		f.Message = "a tab stands where only blanks can stand"
		return f
	}
	if strings.Contains(f.Message, "but found '<scalar>'") {
		if m := halfQuoted.FindStringSubmatch(src.line(f.Line)); m != nil {
			f.Hint = "put quotes around the whole text: `" + m[1] + " " + quoted(strings.TrimSpace(m[2])) + "`"
			return f
		}
	}
	if !strings.Contains(f.Message, "mapping values are not allowed") && !strings.Contains(f.Message, "could not find expected ':'") &&
		!strings.Contains(f.Message, "<block end>") && !strings.Contains(f.Message, "<document start>") {
		return f
	}
	for number, seen := f.Line, 0; number > 0 && seen < 3; number-- {
		line := src.line(number)
		if text := strings.TrimSpace(line); text == "" || text[0] == '#' {
			continue
		}
		seen++
		if found, ok := missingCharacter(f, number, line); ok {
			return found
		}
		if found, ok := flatBlock(f, number, line, src.line(number+1)); ok {
			return found
		}
	}
	return f
}

// quoted puts quotation marks around a text. If it has some already, and the same mark inside comes before a letter, as
// in 'it's', it replaces them by the other kind.
func quoted(text string) string {
	if end := len(text) - 1; end > 1 && text[0] == text[end] && (text[0] == '"' || text[0] == '\'') {
		inner, mark := text[1:end], text[:1]
		other := "\""
		if mark == other {
			other = "'"
		}
		_, after, found := strings.Cut(inner, mark)
		if found && after != "" && isVariable("_"+after[:1]) && !strings.Contains(inner, other) && !strings.Contains(inner, "\\") {
			return other + inner + other
		}
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// flatBlock returns the finding about a key whose text, in lines of its own, is not indented.
func flatBlock(f Finding, number int, line, next string) (Finding, bool) {
	m := blockKey.FindStringSubmatch(line)
	if m == nil || strings.TrimSpace(next) == "" || indentation(next) > indentation(line) {
		return f, false
	}
	f.Place = Place{f.File, number + 1, indentation(next) + 1}
	f.Message = "the text of " + m[1] + " is not indented"
	f.Hint = "indent its lines further than " + m[1]
	f.Source = next
	return f, true
}

// glued looks for the same causes in the body of a task that is not an object, such as the text `sh>:ls`.
func (in *inspection) glued(f Finding) Finding {
	src := in.sources.get(f.File)
	if src == nil {
		return f
	}
	for number := f.Line; number <= f.Line+1; number++ {
		if found, ok := missingCharacter(f, number, src.line(number)); ok && number > f.Line {
			return found
		}
	}
	line := src.line(f.Line)
	if _, value, found := strings.Cut(line, ": "); found && f.Column == indentation(line)+1 { // the body in the task's own line
		if _, ok := missingCharacter(f, f.Line, strings.TrimSpace(value)); ok {
			f.Hint = "write the operator into the next line, indented, with a blank behind its colon"
		}
	}
	return f
}

// missingCharacter returns the finding about a line that lacks a colon, or a blank after one.
func missingCharacter(f Finding, number int, line string) (Finding, bool) {
	line = strings.TrimRight(line, "\r\n")
	if m := gluedLine.FindStringSubmatch(line); m != nil {
		f.Place = Place{f.File, number, len([]rune(m[1]+m[2])) + 1}
		f.Message = "there is no blank behind the colon of " + m[2]
		f.Hint = "put a blank there: `" + m[2] + ": " + strings.TrimSpace(m[3]) + "`"
		f.Source = line
		return f, true
	}
	if m := wideColon.FindStringSubmatch(line); m != nil {
		f.Place = Place{f.File, number, len([]rune(m[1]+m[2])) + 1}
		f.Message = "the colon of " + m[2] + " is none of YAML, but a wide one"
		f.Hint = "write `" + strings.TrimSpace(m[2]+": "+m[3]) + "`"
		f.Source = line
		return f, true
	}
	if m := gluedInclude.FindStringSubmatch(line); m != nil {
		f.Place = Place{f.File, number, len([]rune(m[1]+m[2])) + 1}
		f.Message = "there is no blank before the colon of " + m[2]
		f.Hint = "put one there: `" + m[2] + " : " + m[3] + "`"
		f.Source = line
		return f, true
	}
	if m := bareTask.FindStringSubmatch(line); m != nil {
		f.Place = Place{f.File, number, len([]rune(m[1]+m[2])) + 1}
		f.Message = m[2] + " has no colon"
		f.Hint = "add one: `" + m[2] + ":`"
		f.Source = line
		return f, true
	}
	if m := bareOperator.FindStringSubmatch(line); m != nil {
		f.Place = Place{f.File, number, len([]rune(m[1]+m[2])) + 1}
		f.Message = m[2] + " has no colon"
		f.Hint = "add one: `" + m[2] + ": " + strings.TrimSpace(m[3]) + "`"
		f.Source = line
		return f, true
	}
	return f, false
}

// compileProblem reports what the compiler refuses. For _parallel without its limit it names the wrong key.
func (in *inspection) compileProblem(t tree, p problem) {
	value, _ := t.compiler.tasks[p.task].Local.Get(keyParallel)
	object, ok := value.(*param.Map)
	if ok && slices.Equal(p.path, []string{keyParallel}) && !object.Has("limit") {
		f := missingKey(keyParallel, "limit", object, Value{})
		if f.hint == "" {
			f.hint = parallelHint
		}
		in.tell(Finding{
			Place: in.sources.locate(t.file, append(t.path(p), f.path...)), Severity: t.severity, Rule: ruleValue, Message: f.message, Hint: f.hint,
		})
		return
	}
	in.problem(t.file, t.path(p), t.severity, p.err)
}
