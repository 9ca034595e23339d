package cli

import (
	"errors"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/param"
)

// exitInterrupted is the exit code of a run that a signal ended, as shells have it.
const exitInterrupted = 130

// exitError ends the program with a code. All there is to say has been said.
type exitError struct{ code int }

func (e *exitError) Error() string { return "exit" }

// errorText is what people read of an error: Digdag's message with its kind (server 1.1), then how
// to go on.
func errorText(err error) string {
	if known, ok := errors.AsType[*fix.Error](err); ok {
		return errorText(known.Err) + "\nfix: " + known.Fix
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
	if near, ok := errors.AsType[*nearMissError](err); ok {
		return errorText(near.err) + "\n" + didYouMean(near.near)
	}
	if foreign, ok := errors.AsType[*client.ForeignError](err); ok {
		return foreign.Error() + "\n" + foreignFix(foreign.Endpoint)
	}
	if text := remoteText(err); text != "" {
		return text
	}
	return err.Error()
}

// errorWithFix is errorText, for people with what to do about a file.
func (c *call) errorWithFix(err error) string {
	text := errorText(err)
	if fix := fix.OfFile(err); fix != "" && c.env.Terminals.Stderr && !strings.Contains(text, "\nfix: ") && !strings.Contains(text, "\ndid you mean ") {
		text += "\nfix: " + fix
	}
	return text
}
