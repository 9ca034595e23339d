// Package builtin makes the command executor that settings ask for (operators 4.1).
package builtin

import (
	"fmt"
	"log/slog"

	"github.com/trowel-project/trowel/internal/command"
	"github.com/trowel-project/trowel/internal/command/docker"
)

// Options are what executors are made of.
type Options struct {
	// Type is agent.command_executor.type; empty for the default.
	Type string
	// Setting returns a setting by its name below agent.command_executor, such as "ecs.name".
	Setting func(name string) (string, bool)
	// Local runs the commands of the executor "simple", and the programs by which others reach their engines.
	Local *command.Local
	// Containers notes containers that run, so that they can be removed if this process is killed; may be nil.
	Containers *docker.Journal
	Log        *slog.Logger // may be nil
}

// DefaultType is the executor without a setting, as in Digdag.
const DefaultType = "ecs"

// New returns the executor that the settings choose. "ecs" and "kubernetes" leave commands to "docker", and that leaves
// them to "simple".
func New(o Options) (command.Executor, error) {
	docked := command.Link{Name: "docker", Executor: docker.New(docker.Options{Local: o.Local, Journal: o.Containers, Log: o.Log})}
	simple := command.Link{Name: "simple", Executor: o.Local}
	switch o.Type {
	case "", DefaultType, "kubernetes", "docker":
		return command.NewChain(append(o.elsewhere(), docked, simple)...), nil
	case "simple":
		return command.NewChain(simple), nil
	}
	return nil, fmt.Errorf("Configured commandExecutor name is not found: %s", o.Type) //nolint:staticcheck // Digdag's text (operators 4.1)
}
