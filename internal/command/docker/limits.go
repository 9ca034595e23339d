package docker

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
)

// limitOptions returns the options of "docker run" for the limits of the command. They come after those of the task, so they
// count. The engine keeps them, all but that of the disk.
func (c *container) limitOptions() (options []string) {
	l := c.request.Limits
	if l.Memory > 0 {
		size := strconv.FormatInt(l.Memory, 10)
		options = append(options, "--memory", size, "--memory-swap", size)
	}
	if l.CPU > 0 {
		options = append(options, "--cpus", strconv.FormatFloat(l.CPU, 'f', -1, 64))
	}
	if l.PIDs > 0 {
		options = append(options, "--pids-limit", strconv.Itoa(l.PIDs))
	}
	return options
}

// inspects reports whether the container is kept after its end, to ask the engine why it has ended.
func (c *container) inspects() bool { return c.request.Limits.Memory > 0 }

// inspect returns the limit that ended the command, or nil.
func (c *container) inspect(ctx context.Context, exit int) *command.LimitError {
	if exit == 0 || exit == exitEngine {
		return nil
	}
	output, code, err := c.client.call(ctx, "inspect", "--format", "{{.State.OOMKilled}}", c.name)
	if err != nil {
		c.log.WarnContext(ctx, "it is not known why the container has ended", slog.Any("error", err))
	}
	if code != 0 || !slices.Contains(strings.Fields(output), "true") {
		return nil
	}
	return &command.LimitError{Kind: command.LimitMemory, Limit: c.request.Limits.Memory}
}
