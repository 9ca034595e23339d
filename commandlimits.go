package trowel

import (
	"slices"
	"strconv"

	"github.com/trowel-project/trowel/internal/param"
)

// Names of limits (control K823), which are the keys of _limits.
const (
	LimitMemory = "memory"
	LimitCPU    = "cpu"
	LimitPIDs   = "pids"
	LimitDisk   = "disk"
)

// LimitNames returns the names of all limits, in the order in which they are shown.
func LimitNames() []string { return []string{LimitMemory, LimitCPU, LimitPIDs, LimitDisk} }

// CommandLimits are what the commands of one try may use (control K823). Zero stands for no limit.
type CommandLimits struct {
	// Memory is bytes of memory of all processes together.
	Memory int64 `json:"memory,omitempty"`

	// CPU is processor cores, such as 1.5.
	CPU float64 `json:"cpu,omitempty"`

	// PIDs is the number of processes and threads.
	PIDs int `json:"pids,omitempty"`

	// Disk is bytes that the workspace of the try may grow to.
	Disk int64 `json:"disk,omitempty"`
}

// limit is one of the CommandLimits as a number. Bytes and processes above 2^53 are not exact, which no comparison needs.
func (l *CommandLimits) limit(name string) float64 {
	switch name {
	case LimitMemory:
		return float64(l.Memory)
	case LimitCPU:
		return l.CPU
	case LimitPIDs:
		return float64(l.PIDs)
	case LimitDisk:
		return float64(l.Disk)
	}
	return 0
}

// Names returns the names of the limits that are set. Nil has none.
func (l *CommandLimits) Names() []string {
	if l == nil {
		return nil
	}
	return slices.DeleteFunc(LimitNames(), func(name string) bool { return l.limit(name) == 0 })
}

// Above returns the names of the limits that are larger than the bounds. A bound of zero allows everything.
func (l *CommandLimits) Above(bounds CommandLimits) []string {
	return slices.DeleteFunc(l.Names(), func(name string) bool { return bounds.limit(name) == 0 || l.limit(name) <= bounds.limit(name) })
}

// Or returns the limits, with those of others where none is set. Nil sets none.
func (l *CommandLimits) Or(others CommandLimits) CommandLimits {
	if l == nil {
		return others
	}
	all := *l
	if all.Memory == 0 {
		all.Memory = others.Memory
	}
	if all.CPU == 0 {
		all.CPU = others.CPU
	}
	if all.PIDs == 0 {
		all.PIDs = others.PIDs
	}
	if all.Disk == 0 {
		all.Disk = others.Disk
	}
	return all
}

// Text returns one of the limits for people, such as "512MiB" or "1.5".
func (l *CommandLimits) Text(name string) string {
	switch name {
	case LimitMemory:
		return param.SizeText(l.Memory)
	case LimitDisk:
		return param.SizeText(l.Disk)
	case LimitPIDs:
		return strconv.Itoa(l.PIDs)
	}
	return strconv.FormatFloat(l.CPU, 'f', -1, 64)
}

// KeptLimits are the limits of commands that an agent keeps (control K823). A task that asks for another one is not given
// to it.
type KeptLimits struct {
	// Names are the limits that it keeps for commands that run as its own processes.
	Names []string `json:"names,omitempty"`

	// Container are the limits that it keeps for commands of tasks that ask for a container.
	Container []string `json:"container,omitempty"`

	// Max are its upper bounds. They also hold for tasks that ask for nothing.
	Max CommandLimits `json:"max"`
}

// Lacking returns the names of the limits that a task asks for and the agent does not keep.
func (k *KeptLimits) Lacking(n *Requirements) []string {
	if n == nil {
		return nil
	}
	kept := k.Names
	if n.Container {
		kept = k.Container
	}
	return slices.DeleteFunc(n.Limits.Names(), func(name string) bool { return slices.Contains(kept, name) })
}
