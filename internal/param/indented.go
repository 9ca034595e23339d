package param

import (
	"strings"
)

// IndentedYAML is the YAML of a map, each line indented.
func IndentedYAML(m *Map, spaces int) string {
	indent := strings.Repeat(" ", spaces)
	text := strings.TrimRight(string(AppendYAML(nil, m, 0)), "\n")
	return indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n"
}
