package remotecmd

import (
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/loopname"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/terminal"
)

// loopNames returns the displayed names of those tasks of an attempt that are in an iteration of for_each>.
// The tasks are in the order of the server, parents first.
func loopNames(tasks []api.Task) map[api.ID][]loopname.Part {
	full := make(map[api.ID]string, len(tasks))
	names := map[api.ID][]loopname.Part{}
	for i := range tasks {
		t := &tasks[i]
		full[t.ID] = terminal.Clean(t.FullName)
		if t.ParentID == nil {
			continue
		}
		own, below := strings.CutPrefix(full[t.ID], full[*t.ParentID])
		if !below {
			continue
		}
		name, part := names[*t.ParentID], loopname.PartOf(own, loopExports(t))
		if len(part.Values) > 0 {
			if name == nil {
				name = []loopname.Part{{Text: full[*t.ParentID]}}
			}
			name = withoutGroup(name)
		}
		if name != nil || len(part.Values) > 0 {
			names[t.ID] = append(slices.Clip(name), part)
		}
	}
	return names
}

// withoutGroup removes the group of generated tasks from the end of a name, as the tree does.
func withoutGroup(name []loopname.Part) []loopname.Part {
	last := len(name) - 1
	text, ok := strings.CutSuffix(name[last].Text, "^sub")
	switch {
	case !ok:
		return name
	case text == "":
		return name[:last]
	}
	return append(slices.Clone(name[:last]), loopname.Part{Text: text})
}

// loopExports returns the parameters that a task has from the loop that made it; nil if it has none.
func loopExports(t *api.Task) *param.Map {
	if t.Config == nil {
		return nil
	}
	value, _ := t.Config.Get("_export")
	exports, _ := value.(*param.Map)
	return exports
}

// loopValues returns the values of the loops in a name: "region=apac kind=orders".
func loopValues(name []loopname.Part) string {
	var loops []loopname.Part
	for _, part := range name {
		if len(part.Values) > 0 {
			loops = append(loops, part)
		}
	}
	return loopname.Join(loops, true, 0, "")
}
