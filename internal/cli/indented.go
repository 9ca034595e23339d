package cli

import (
	"github.com/trowel-project/trowel/internal/param"
	"strings"
)

// indented is the YAML of a map, each line indented.
func indented(m *param.Map, spaces int) string {
	indent := strings.Repeat(" ", spaces)
	text := strings.TrimRight(string(param.AppendYAML(nil, m, 0)), "\n")
	return indent + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n"
}
