package operator

import (
	"errors"
	"fmt"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/secret"
)

// Kinds of errors, which follow messages (language X33, operators 1.13).
const (
	KindConfig          = "config"
	KindIllegalArgument = "illegal argument"
	kindModelValidation = "model validation"
	kindNotification    = "notification"
	KindRuntime         = "runtime"
	kindSecretNotFound  = "secret not found"
)

// Failure is a deliberate failure: the operator found that its task failed, and the message says everything.
// Its error object has the message without a kind.
type Failure struct { //nolint:errname // not one of the errors that have a kind
	Message string     // the whole message
	Props   *param.Map // further members of the error object; may be nil
	Err     error      // the cause, which adds a trace to the error object; may be nil
}

func (f *Failure) Error() string { return f.Message }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Failuref returns a Failure with a formatted message.
func Failuref(format string, args ...any) error {
	return &Failure{Message: fmt.Sprintf(format, args...)}
}

// Error is an error with one of Digdag's kinds. Errors without a kind are of the kind "runtime".
type Error struct {
	Kind    string // one of Digdag's kinds, such as "config"
	Message string
	Err     error // what caused it; may be nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Runtimef returns an error in the work of the operator, not in its options.
func Runtimef(format string, args ...any) error {
	return &Error{Kind: KindRuntime, Message: fmt.Sprintf(format, args...)}
}

// Kind returns message and kind of an error (language X33): those of the error in its chain that has
// a kind, or else its own text and "runtime". A Failure has the kind "".
func Kind(err error) (message, kind string) {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure.Message, ""
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known.Message, known.Kind
	}
	if executor, ok := errors.AsType[*command.Error](err); ok {
		return executor.Message, executor.Kind
	}
	if limit, ok := errors.AsType[*command.LimitError](err); ok {
		return limit.Error(), limit.Kind
	}
	if config, ok := errors.AsType[*param.Error](err); ok {
		return config.Message, KindConfig
	}
	if file, ok := errors.AsType[*dig.Error](err); ok {
		return file.Message, file.Kind
	}
	if missing, ok := errors.AsType[*secret.NotFoundError](err); ok {
		return missing.Error(), kindSecretNotFound
	}
	if key, ok := errors.AsType[*secret.KeyError](err); ok {
		return key.Error(), KindIllegalArgument
	}
	return err.Error(), KindRuntime
}

// ErrorObject returns the error object of a failed run (language X33, operators 1.13): "message", and
// "stacktrace" unless the failure was deliberate and had no cause.
func ErrorObject(err error) *param.Map {
	message, kind := Kind(err)
	if kind != "" {
		return trowel.ErrorObject(message, kind, trace(err)...)
	}
	object := param.New()
	failure, _ := errors.AsType[*Failure](err)
	object.Merge(failure.Props)
	object.Set("message", message)
	if failure.Err != nil {
		object.Set("stacktrace", strings.Join(trace(failure.Err), ", "))
	}
	return object
}

// trace returns the replacement for Digdag's stack trace: the types and texts of an error and its causes.
func trace(err error) []string {
	var frames []string
	for err != nil {
		frames = append(frames, fmt.Sprintf("%T: %s", err, err))
		err = errors.Unwrap(err)
	}
	return frames
}

// LogText returns the line, or lines, with which a failure is logged (operators 1.13).
func LogText(task string, err error) string {
	message, kind := Kind(err)
	switch kind {
	case "":
		return fmt.Sprintf("Task %s failed.\n%s", task, message)
	case KindConfig:
		return fmt.Sprintf("Configuration error at task %s: %s (config)", task, message)
	case command.LimitMemory, command.LimitPIDs, command.LimitDisk:
		return fmt.Sprintf("Task %s failed: %s (%s)", task, message, kind)
	default:
		return "Task failed with unexpected error: " + message
	}
}
