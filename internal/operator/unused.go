package operator

import (
	"fmt"
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/param"
)

// Unused returns the lines that are logged, as errors, about a task's own keys that its operator did
// not read (language L55, operators 1.17), after a success. params is the operator's Reader, after its run.
// task is the full name.
func Unused(task string, local *param.Map, params *param.Reader) []string {
	named := "" // the key that named the operator, unless it ends with ">"
	if local.Has("_type") {
		named = "_type"
	}
	var lines []string
	for key := range local.All() {
		if params.Used(key) || key == named || named == "" && strings.HasSuffix(key, ">") {
			continue
		}
		lines = append(lines, fmt.Sprintf(dig.UnusedKey, key, task))
		if near := param.Near(key, params.UsedKeys()); len(near) > 0 {
			lines = append(lines, fmt.Sprintf("  > Did you mean [%s]?", strings.Join(near, ", ")))
		}
	}
	return lines
}
