package daemon

import (
	"context"
	"log/slog"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/command"
)

// openGroups prepares control groups for commands, where that is possible, and says how limits are kept.
func (a *localAgent) openGroups(ctx context.Context) {
	groups, err := command.OpenGroups(a.log)
	names := slog.String("limits", strings.Join(command.Kept(groups), ", "))
	if err != nil {
		a.log.InfoContext(ctx, "limits of commands are kept by looking at their processes", names, slog.String("no_control_groups", err.Error()))
		return
	}
	a.groups = groups
	a.log.InfoContext(ctx, "limits of commands are kept by control groups", names, slog.String("group", groups.Dir()))
}

// keptLimits returns the limits of commands that the agent keeps (control K823): those of processes, and those of containers where
// the executor that is asked first starts them.
func (a *localAgent) keptLimits() trowel.KeptLimits {
	processes := command.Kept(a.groups)
	limits := trowel.KeptLimits{Names: processes, Container: trowel.LimitNames(), Max: a.settings.Agent.Limits}
	executor := a.settings.Agent.CommandExecutor
	_, named := a.executorSetting(executor + ".name")
	switch {
	case executor == "simple":
		limits.Container = processes
	case executor == "ecs" && named:
		limits.Container = []string{trowel.LimitMemory, trowel.LimitCPU}
	case executor == "kubernetes" && named:
		limits.Container = []string{trowel.LimitMemory, trowel.LimitCPU, trowel.LimitDisk}
	}
	return limits
}

// limitsShape is what an agent keeps, as it is sent.
func limitsShape(k *trowel.KeptLimits) *api.KeptLimits {
	return &api.KeptLimits{Names: k.Names, Container: k.Container, Max: api.CommandLimits(k.Max)}
}
