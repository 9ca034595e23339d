package builtin

import (
	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/ecs"
	"github.com/trowel-project/trowel/internal/command/kubernetes"
	"github.com/trowel-project/trowel/internal/command/transfer"
)

// elsewhere returns the executor that runs commands on other machines, for the types that have one. Its wrong options leave
// commands to the executors after it.
func (o *Options) elsewhere() []command.Link {
	setting := transfer.Settings(o.Setting)
	if setting == nil {
		setting = func(string) (string, bool) { return "", false }
	}
	switch o.Type {
	case "", DefaultType:
		return []command.Link{{Name: "ecs", Optional: true, Executor: ecs.New(ecs.Options{Setting: setting, Log: o.Log})}}
	case "kubernetes":
		return []command.Link{{Name: "kubernetes", Optional: true, Executor: kubernetes.New(kubernetes.Options{Setting: setting, Log: o.Log})}}
	}
	return nil
}
