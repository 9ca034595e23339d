package agent

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts about limits of commands (control K823).
const (
	textAboveBound = "Parameter '_limits.%s' is %s, but this agent allows at most %s (agent.limits.%s)"
	textNotKept    = "limits of commands are not kept here"
)

// limits returns what the commands of the try may use: what the task asks for, and the bounds of the agent for the rest. A
// limit above its bound is an error of kind config, unless the try looks after a job that goes on.
func (t *try) limits(log *slog.Logger) (command.Limits, error) {
	own, kept := t.lease.Limits, &t.agent.opts.Limits
	if above := own.Above(kept.Max); len(above) > 0 && !t.lease.Job {
		name := above[0]
		return command.Limits{}, param.Errorf(textAboveBound, name, own.Text(name), kept.Max.Text(name), name)
	}
	if t.agent.opts.Anything {
		t.agent.tellNotKept(own.Names(), log)
	}
	return command.Limits(own.Or(kept.Max)), nil
}

// tellNotKept warns, once, about limits that the only agent of a local run does not keep.
func (a *Agent) tellNotKept(names []string, log *slog.Logger) {
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(a.opts.Limits.Names, name) })
	if len(names) > 0 {
		a.notKept.Do(func() { log.Warn(textNotKept, slog.String("limits", strings.Join(names, ", "))) })
	}
}
