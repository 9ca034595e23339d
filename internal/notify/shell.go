package notify

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// closeWait is how long a killed command may keep its input open.
const closeWait = time.Second

// ShellOptions say which command gets notifications.
type ShellOptions struct {
	Command string        // for sh -c
	Timeout time.Duration // of one run
	Env     []string      // NAME=value; nil for the process's own
}

// Shell runs a shell command with each notification as JSON in its input. The command's output is
// discarded.
type Shell struct{ opts ShellOptions }

// NewShell returns a Shell. It runs nothing yet.
func NewShell(opts ShellOptions) *Shell { return &Shell{opts: opts} }

// Send implements Sender. An exit code other than zero is an error. A command that takes too long is
// killed with everything that it started.
func (s *Shell) Send(ctx context.Context, n Notification) error {
	limited, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, errTimedOut)
	defer cancel()
	command := exec.CommandContext(limited, shell, "-c", s.opts.Command) //nolint:gosec // it is the operator's own
	command.Stdin = strings.NewReader(param.JSON(n.Payload()))
	command.Env = s.opts.Env
	command.WaitDelay = closeWait
	ownGroup(command)
	err := command.Run()
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch { // the texts are those of operators 2.11
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(context.Cause(limited), errTimedOut):
		return fmt.Errorf("Notification shell command timed out: %s", s.opts.Command)
	case exited:
		return fmt.Errorf("Notification shell command failed: %s, exit code = %d", s.opts.Command, exit.ExitCode())
	}
	return fmt.Errorf("Failed to execute notification shell command: %s: %w", s.opts.Command, err) //nolint:staticcheck // Digdag's text
}

var errTimedOut = errors.New("timed out")
