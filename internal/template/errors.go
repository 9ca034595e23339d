package template

import (
	"errors"
	"fmt"

	"github.com/trowel-project/trowel/internal/param"
)

// Errors about limits. Text wraps them together with a *param.Error that names the text and the limit.
var (
	// ErrTimeout says that an expression took too long.
	ErrTimeout = errors.New("the evaluation took too long")
	// ErrSize says that a text or list became too large.
	ErrSize = errors.New("the evaluation made something too large")
	// ErrMemory says that an expression used too much memory.
	ErrMemory = errors.New("the evaluation used too much memory")
)

// formatFailure is the text of an error: the whole template and JavaScript's message (language T27).
const formatFailure = FailureHead + "%s (%s)"

// FailureHead begins the message about an expression that cannot be evaluated.
const FailureHead = "Failed to evaluate a variable "

// limitError is a *param.Error that is also one of the errors about limits.
type limitError struct {
	text  *param.Error
	limit error
}

func (e *limitError) Error() string { return e.text.Message }

func (e *limitError) Unwrap() []error { return []error{e.text, e.limit} }

// failure returns the error about a text. limit may be nil.
func failure(text, reason string, limit error) error {
	err := param.Errorf(formatFailure, text, reason)
	if limit == nil {
		return err
	}
	return &limitError{text: err, limit: limit}
}

func (e *Evaluator) tooLarge(text string) error {
	return failure(text, fmt.Sprintf("RangeError: the result is larger than %d bytes", e.options.MaxResultBytes), ErrSize)
}
