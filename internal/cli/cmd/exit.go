package cmd

import (
	"errors"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/param"
)

// ExitInterrupted is the exit code after a signal has ended a run, as in shells.
const ExitInterrupted = 130

// ExitError ends the program with a code. Nothing more is printed.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return "exit" }

// ErrorText returns the text that people read about an error: Digdag's message with its kind (server 1.1), then how
// to go on. others provide texts for errors that are not known here; they return an empty text for those they do not know.
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

// ErrorWithFix returns ErrorText and, for people, what to do about the file that the error names.
func (c *Call) ErrorWithFix(err error, others ...func(error) string) string {
	text := ErrorText(err, others...)
	if fix := fix.OfFile(err); fix != "" && c.Env.Terminals.Stderr && !strings.Contains(text, "\nfix: ") && !strings.Contains(text, "\ndid you mean ") {
		text += "\nfix: " + fix
	}
	return text
}
