package dig

import (
	"errors"
	"fmt"

	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// Kinds of errors: the name of Digdag's exception in words, which stands in parentheses after the
// message in `error.message` of a task (language X33) and on the command line (server 1.1).
const (
	KindConfig          = "config"
	KindModelValidation = "model validation"
	KindObjectMapping   = "runtime json mapping" // a document or a list element that is no object
	KindJSON            = "json mapping"         // a key that is null
	KindScanner         = "scanner"
	KindParser          = "parser"
	KindComposer        = "composer"
	KindConstructor     = "constructor"
	KindTag             = "tag"
	KindReader          = "reader"
	KindYAML            = "yaml"
	KindDuplicateKey    = "duplicate key yaml"
	KindNumber          = "number format"
	KindIllegalArgument = "illegal argument"
	KindClassCast       = "class cast" // a tag on a node of another kind
	KindInclude         = "include"    // ours: files that include each other
	KindNoSuchFile      = "no such file"
	KindFileNotFound    = "file not found"
	KindLimit           = "limit" // ours: a file or a nesting beyond what is read
	KindIO              = "io"
	KindNoMatch         = "no match"
	KindMultipleMatch   = "multiple task match"
	KindSyntax          = "syntax"
)

// Error is a refusal. Its message is Digdag's text wherever Digdag has one.
type Error struct {
	Kind    string
	Message string
	Err     error // what caused it, or nil

	// place is where in its file a problem of YAML is, if it is known.
	place *yaml.Mark
	// aborts tells that Digdag ends the load of a project at this error instead of gathering it
	// (language L8).
	aborts bool
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Text is the message with the kind behind it, as Digdag shows it to people and tasks.
func (e *Error) Text() string { return e.Message + " (" + e.Kind + ")" }

func configError(message string) *Error { return &Error{Kind: KindConfig, Message: message} }

// asError makes an *Error of what a reader of parameters returned.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*param.Error](err); ok {
		return configError(e.Message)
	}
	return &Error{Kind: KindIO, Message: err.Error(), Err: err}
}

func configErrorf(format string, args ...any) *Error {
	return configError(fmt.Sprintf(format, args...))
}
