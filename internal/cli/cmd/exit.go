package cmd

import (
	"errors"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/param"
)

// ExitInterrupted is the exit code of a run that a signal ended, as shells have it.
const ExitInterrupted = 130

// ExitError ends the program with a code. All there is to say has been said.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return "exit" }

// ErrorText is what people read of an error: Digdag's message with its kind (server 1.1), then how
// to go on. Others word errors that are not known here; a text of theirs is empty for an error that they do not know either.
func ErrorText(err error, others ...func(error) string) string {
	if known, ok := errors.AsType[*fix.Error](err); ok {
		return ErrorText(known.Err, others...) + "\nfix: " + known.Fix
	}
	if known, ok := errors.AsType[*dig.Error](err); ok {
		return known.Text()
	}
	if wrong, ok := errors.AsType[*param.Error](err); ok {
		return wrong.Message + " (config)"
	}
	if known, ok := errors.AsType[*trowel.Error](err); ok && known.Hint != "" {
		return err.Error() + "\nfix: " + known.Hint
	}
	for _, text := range others {
		if text := text(err); text != "" {
			return text
		}
	}
	return err.Error()
}

// ErrorWithFix is ErrorText, for people with what to do about a file.
func (c *Call) ErrorWithFix(err error, others ...func(error) string) string {
	text := ErrorText(err, others...)
	if fix := fix.OfFile(err); fix != "" && c.Env.Terminals.Stderr && !strings.Contains(text, "\nfix: ") && !strings.Contains(text, "\ndid you mean ") {
		text += "\nfix: " + fix
	}
	return text
}
