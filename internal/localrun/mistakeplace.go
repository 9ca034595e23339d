package localrun

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/template"
)

// placeText is a place as dig.Place writes it.
var placeText = regexp.MustCompile(`^(.+):(\d+):(\d+)$`)

// mistakePlace is the place of what the message of a failed task is about, in the lines of the task that begins
// at a place; the task's own place if it is not found. dir is the project's folder, and key the one that the
// culprit stands behind, if it is known.
func mistakePlace(dir, task, message, key string) string {
	culprit, lead := "", ""
	if key != "" {
		culprit = key + ":"
	} else if name, found := strings.CutPrefix(message, "Unknown task type: "); found {
		name, _, _ = strings.Cut(name, " (")
		culprit = name + ">"
	} else if name, undefined := template.Undefined(message); undefined {
		culprit, lead = name, leadTo(message, name)
	} else if text, found := strings.CutPrefix(message, template.FailureHead); found {
		culprit = firstExpression(text)
	} else if m := keyText.FindStringSubmatch(message); m != nil {
		culprit = m[1] + ":"
	}
	m := placeText.FindStringSubmatch(task)
	if culprit == "" || m == nil {
		return task
	}
	line, errLine := strconv.Atoi(m[2])
	column, errColumn := strconv.Atoi(m[3])
	if errLine != nil || errColumn != nil || !filepath.IsLocal(filepath.FromSlash(m[1])) {
		return task
	}
	begin := dig.Place{File: m[1], Line: line, Column: column}
	if lead != "" {
		if found := dig.FindWithin(os.DirFS(dir), begin, lead+culprit); found != begin {
			found.Column += utf8.RuneCountInString(lead)
			return found.String()
		}
	}
	return dig.FindWithin(os.DirFS(dir), begin, culprit).String()
}

// keyText has the key whose value is of a wrong type.
var keyText = regexp.MustCompile(`(?: for key|^Parameter) '([\w.>-]+)' (?:but got|must be an object)`)

// firstExpression is the beginning of the first expression of a text that could not be evaluated, as far as it
// stands in one line of a file.
func firstExpression(text string) string {
	at := strings.Index(text, "${")
	if at < 0 {
		return ""
	}
	text, _, _ = strings.Cut(text[at:], "\n")
	if end := strings.IndexByte(text, '}'); end >= 0 {
		text = text[:end]
	}
	return text
}

// leadTo is what stands before a name in the expression of a message that has it, in its line: the name alone
// may stand in other places, too.
func leadTo(message, name string) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(message, template.FailureHead), " (ReferenceError: ")
	word, err := regexp.Compile(`(?:^|[^\pL\pN_$.])` + regexp.QuoteMeta(name) + `(?:[^\pL\pN_$]|$)`)
	if err != nil {
		return ""
	}
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			return ""
		}
		text = text[at:]
		expression, _, _ := strings.Cut(text, "}")
		if found := word.FindStringIndex(expression[len("${"):]); found != nil {
			from := len("${") + found[0]
			from += strings.Index(expression[from:], name)
			return expression[strings.LastIndexByte(expression[:from], '\n')+1 : from]
		}
		text = text[len("${"):]
	}
}
