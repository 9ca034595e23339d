package dig

import (
	"errors"
	"fmt"

	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// Kinds of errors: the name of Digdag's exception in words. It follows the message, in parentheses, in
// `error.message` of a task (language X33) and on the command line (server 1.1).
const (
	KindConfig          = "config"
	KindModelValidation = "model validation"
	KindObjectMapping   = "runtime json mapping" // a document or a list element that is not an object
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
	KindInclude         = "include"    // Trowel's: files that include each other
	KindNoSuchFile      = "no such file"
	KindFileNotFound    = "file not found"
	KindLimit           = "limit" // Trowel's: a file or a nesting that is too large
	KindIO              = "io"
	KindNoMatch         = "no match"
	KindMultipleMatch   = "multiple task match"
	KindSyntax          = "syntax"
)

// Error is a refusal. Its message is Digdag's text wherever Digdag has one.
type Error struct {
	Kind    string // one of the kinds above
	Message string // Digdag's text where it has one
	Err     error  // what caused it, or nil

	// place is where a problem of YAML is in its file. Nil if it is not known.
	place *yaml.Mark
	// aborts is set if Digdag stops loading a project at this error, instead of collecting it
	// (language L8).
	aborts bool
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Text returns the message followed by the kind, as Digdag shows it to people and tasks.
func (e *Error) Text() string { return e.Message + " (" + e.Kind + ")" }

func configError(message string) *Error { return &Error{Kind: KindConfig, Message: message} }

// asError returns the error of a reader of parameters as an *Error.
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
