package yaml

import "strings"

// Kinds of errors: the part of SnakeYAML that refuses the text.
const (
	KindReader   = "reader"
	KindScanner  = "scanner"
	KindParser   = "parser"
	KindComposer = "composer"
	KindYAML     = "yaml"
	KindLimit    = "limit" // Trowel's: nested too deep, or an alias within its own value
)

// Error is a refusal of a text. Its message is SnakeYAML's, of several lines, with place and
// line of both the context (where the construct began) and the problem.
type Error struct {
	Kind    string
	Problem string // what is wrong, in one line
	Place   Mark   // where
	Begin   *Mark  // where the wrong construct began; nil if it is not known
	context string
	message string
}

func (e *Error) Error() string { return e.message }

// Summary returns the message in one line, without places.
func (e *Error) Summary() string {
	if e.context == "" {
		return e.Problem
	}
	return e.context + ": " + e.Problem
}

// fault is an error before its marks are written. Marks may be missing.
type fault struct {
	kind        string
	context     string
	contextMark *Mark
	problem     string
	problemMark *Mark
}

// report fails with the fault, unless something failed before.
func (r *reader) report(f fault) {
	if r.failure == nil {
		r.fail(f.error(r))
	}
}

func (f fault) error(r *reader) *Error {
	e := &Error{Kind: f.kind, Problem: f.problem, context: f.context}
	var b strings.Builder
	if f.context != "" {
		b.WriteString(f.context + "\n")
	}
	if f.contextMark != nil {
		b.WriteString(r.describe(*f.contextMark) + "\n")
		e.Begin, e.Place = f.contextMark, *f.contextMark
	}
	b.WriteString(f.problem + "\n")
	if f.problemMark != nil {
		b.WriteString(r.describe(*f.problemMark) + "\n")
		e.Place = *f.problemMark
	}
	e.message = b.String()
	return e
}
