package dig

import (
	"fmt"
	"io/fs"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts about limits that agents do not allow or keep (control K823).
const (
	limitAbove  = "No agent allows a limit of %s of %s, at most %s: tasks with it fail"
	limitUnkept = "No agent keeps the limit '%s': tasks with it wait until one does"
)

// LimitsWithoutAgents warns about limits of commands that workflows give without an expression and that none of the agents
// keeps or allows. The id of these findings is limit-agents (control K121, K823). Agents are asked for only if there is such
// a limit; without any, as if it is not known which there are, nothing is found. For files and dir see LoadFS. Findings are
// sorted by file and place.
func LimitsWithoutAgents(files fs.FS, dir string, agents func() []trowel.KeptLimits) []Finding {
	in := &inspection{agents: agents, only: findingLimit}
	return in.run(&Project{Dir: dir, files: files})
}

// limitsWithoutAgents warns about the limits that one body gives.
func (in *inspection) limitsWithoutAgents(t tree, index int) {
	body := t.compiler.tasks[index].Local
	in.limitsWithoutAgentsIn(t, index, body, keyLimits)
	defaults, _ := body.Get(keyDefaults)
	if object, ok := defaults.(*param.Map); ok {
		in.limitsWithoutAgentsIn(t, index, object, keyDefaults, keyLimits)
	}
}

func (in *inspection) limitsWithoutAgentsIn(t tree, index int, body *param.Map, path ...string) {
	value, _ := body.Get(keyLimits)
	object, ok := value.(*param.Map)
	if !ok {
		return
	}
	for name, value := range object.All() {
		r := optionReader{}
		if value == nil || hasTemplate(value) {
			continue
		}
		limits := r.commandLimits(param.Of(name, value))
		if limits == nil || len(r.errs) > 0 {
			continue // which is another finding
		}
		if message := withoutAgent(limits, name, in.agents(), t.asksForContainers()); message != "" {
			in.tellAt(t, index, findingLimit, message, "lower the limit, or see agent.limits.* of the agents", append(slices.Clone(path), name)...)
		}
	}
}

// containerBlocks are the parameters by which tasks ask for containers (operators 4).
var containerBlocks = []string{"docker", "ecs", "kubernetes"} //nolint:gochecknoglobals // a constant

// asksForContainers reports whether a task of the tree, or of those around it, asks for a container.
func (t tree) asksForContainers() bool {
	for ; ; t = *t.outer {
		for i := range t.compiler.tasks {
			task := &t.compiler.tasks[i]
			for _, block := range containerBlocks {
				if task.Local.Has(block) || task.Export.Has(block) {
					return true
				}
			}
		}
		if t.outer == nil {
			return false
		}
	}
}

// withoutAgent says why none of the agents takes a task with a limit, which may ask for a container; empty if one does, or if
// there are no agents.
func withoutAgent(limits *trowel.CommandLimits, name string, agents []trowel.KeptLimits, container bool) string {
	if len(agents) == 0 {
		return ""
	}
	var most *trowel.CommandLimits
	for i := range agents {
		a := &agents[i]
		if !slices.Contains(a.Names, name) && (!container || !slices.Contains(a.Container, name)) {
			continue
		}
		if len(limits.Above(a.Max)) == 0 {
			return ""
		}
		if most == nil || slices.Contains(a.Max.Above(*most), name) {
			most = &a.Max
		}
	}
	if most == nil {
		return fmt.Sprintf(limitUnkept, name)
	}
	return fmt.Sprintf(limitAbove, limits.Text(name), name, most.Text(name))
}
