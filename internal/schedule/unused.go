package schedule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// unusedOptions returns a line for each option of a block that Digdag's check does not know. delay,
// at, and _command beside _type are among those (language S10). The type key is _type, daily> or another kind's key.
func unusedOptions(config *param.Map, typeKey string) []string {
	known := []string{"_type"}
	if typeKey != "_type" {
		known = append(known, typeKey, "_command")
	}
	known = hashOrder(append(known, "skip_on_overtime", "skip_delayed_by", "start", "end"))

	var lines []string
	for _, key := range hashOrder(config.Keys()) {
		if slices.Contains(known, key) {
			continue
		}
		line := fmt.Sprintf("Parameter '%s' is not used at schedule. ", key)
		if near := param.Near(key, known); len(near) > 0 {
			line += fmt.Sprintf("> Did you mean '[%s]'?", strings.Join(near, ", "))
		}
		lines = append(lines, line)
	}
	return lines
}

// hashOrder sorts keys in the order of Digdag's hash sets, which is the order of lines and of
// suggestions in its message. The sets are copies, which are made with the right size at once.
func hashOrder(keys []string) []string {
	size := 16
	for size <= len(keys)*4/3 {
		size *= 2
	}
	return param.HashOrder(keys, size)
}
