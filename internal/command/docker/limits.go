package docker

import (
	"context"
	"log/slog"
	"regexp"
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

// exceeded returns the limit that ended the command, or with which it has failed; nil for none.
func (c *container) exceeded(ctx context.Context, exit int, used *watcher, output string) *command.LimitError {
	limits := &c.request.Limits
	switch {
	case exit == 0 || exit == exitEngine:
		return nil
	case limits.Memory > 0 && c.ranOutOfMemory(ctx):
		return &command.LimitError{Kind: command.LimitMemory, Limit: limits.Memory, Peak: used.usage.PeakMemory}
	case limits.PIDs > 0 && (used.processes || noProcess().MatchString(output)):
		return &command.LimitError{Kind: command.LimitPIDs, Limit: int64(limits.PIDs)}
	}
	return nil
}

// noProcess matches what programs print when they get no process or thread. A command that ends at once because of that is
// gone before anybody has looked at its control groups.
func noProcess() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(fork|thread|process|spawn)[^\n]{0,60}resource temporarily unavailable|resource temporarily unavailable[^\n]{0,20}(fork|thread)` +
		`|can't start new thread|unable to create (new )?native thread`)
}

// ranOutOfMemory asks the engine whether a process of the container, which has ended, was killed for its memory.
func (c *container) ranOutOfMemory(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
	defer cancel()
	output, exit, err := c.client.call(ctx, "inspect", "--format", "{{.State.OOMKilled}}", c.name)
	if err != nil {
		c.log.WarnContext(ctx, "it is not known why the container has ended", slog.Any("error", err))
	}
	return exit == 0 && slices.Contains(strings.Fields(output), "true")
}
