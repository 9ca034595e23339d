package docker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/wait"
)

// Exit codes of "docker run" that are not those of the command (docker-run(1)).
const (
	exitEngine = 125 // the engine could not start the container, or the client lost it

	exitNotFound = 127 // there is no such program
)

// client is the program that talks to the engine.
type client struct {
	local   *command.Local
	program string
}

// call calls the client outside the project and returns what it printed and its exit code.
func (c *client) call(ctx context.Context, args ...string) (output string, exit int, err error) {
	var out bytes.Buffer
	exit, err = c.local.Call(ctx, nil, append([]string{c.program}, args...), &out)
	return out.String(), exit, err
}

// isNotStarted reports whether an error says that the client was not even started.
func isNotStarted(err error) bool {
	_, ok := errors.AsType[*command.StartError](err)
	return ok
}

// How long and how often a container is removed until the engine answers. A client that was killed may just have asked for a
// container that the engine makes afterwards, so that it is not found for a moment.
const (
	removeTime  = 30 * time.Second
	removePause = 100 * time.Millisecond
	lookAgain   = 3
)

// remove ends the container and removes it. It logs if that fails.
func (c *container) remove(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
	defer cancel()
	if c.label != "" { // another container may have the name
		c.removeByLabel(ctx)
		return
	}
	for missed := 0; missed < lookAgain; {
		output, exit, err := c.client.call(ctx, "rm", "-f", c.name)
		switch {
		case err == nil && isNoContainer(output):
			missed++
		case err == nil && exit == 0:
			return
		case err != nil || ctx.Err() != nil:
			c.mayStay(ctx, output, err)
			return
		}
		wait.Sleep(ctx, removePause) //nolint:errcheck // the next call sees that the time is over
	}
}

// removeByLabel does the work of remove for a container that is known by its label.
func (c *container) removeByLabel(ctx context.Context) {
	for missed := 0; missed < lookAgain; {
		removed, err := c.client.removeLabelled(ctx, c.label)
		switch {
		case err == nil && len(removed) > 0:
			return
		case err == nil:
			missed++
		case ctx.Err() != nil:
			c.mayStay(ctx, "", err)
			return
		}
		wait.Sleep(ctx, removePause) //nolint:errcheck // the next call sees that the time is over
	}
}

// mayStay notes that the container could not be removed.
func (c *container) mayStay(ctx context.Context, output string, err error) {
	c.executor.options.Journal.ownMayStay(c.options.client)
	c.log.ErrorContext(ctx, "the container of the command may still run", slog.String("container", c.name),
		slog.String("output", strings.TrimSpace(output)), slog.Any("error", err))
}

// isNoContainer reports whether a client says that there is no such container.
func isNoContainer(output string) bool {
	output = strings.ToLower(output)
	return strings.Contains(output, "no such container") || strings.Contains(output, "no container with")
}

// tail passes output on and keeps the end of it.
type tail struct {
	to   io.Writer
	kept []byte
}

const tailBytes = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return t.to.Write(p)
}

func (t *tail) text() string { return string(t.kept) }
