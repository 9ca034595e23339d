package template

import (
	"errors"
	"strings"
)

// Fault is what is wrong with an expression, as far as that shows without parameters.
type Fault struct {
	Code     string // from ${ on, with its } if there is one
	Message  string // why it is not an expression, in one line; empty if it is not closed
	Unclosed bool   // there is no } for it: the text would be shown as it is (language T15)
}

// Check returns the first fault of a text. ok is true if there is none. It evaluates nothing.
func (e *Evaluator) Check(text string) (fault Fault, ok bool) {
	s := newScanner(text, !e.options.PlainSyntax)
	for {
		start := opening(s.rest)
		if start < 0 {
			return Fault{}, true
		}
		code := s.rest[start+2:]
		length := s.codeLength(code)
		if length < 0 {
			return Fault{Code: s.rest[start:], Unclosed: true}, false
		}
		s.rest, code = code[length+1:], code[:length]
		if code == "" || isPlain(code) {
			continue
		}
		if err := compileExpression(code).err; err != nil {
			return Fault{Code: "${" + code + "}", Message: faultText(err)}, false
		}
	}
}

// faultText returns the compiler's message without the place and the marked line.
func faultText(err error) string {
	message := err.Error()
	if known, ok := errors.AsType[*syntaxError](err); ok {
		message = known.message
	}
	message, _, _ = strings.Cut(message, "\n")
	place, rest, found := strings.Cut(message, " ")
	if found && strings.HasPrefix(place, "<expression>") {
		message = rest
	}
	return message
}
