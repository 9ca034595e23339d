package dig_test

import (
	"strings"

	"github.com/trowel-project/trowel/internal/dig"
)

// catalog has some of the program's operators. Expressions that end with a + count as wrong.
func catalog() dig.Catalog {
	text, boolean, integer := dig.Value{Kind: dig.Text}, dig.Value{Kind: dig.Boolean}, dig.Value{Kind: dig.Integer}
	return dig.Catalog{
		Folder: "/project",
		Operators: map[string]dig.Operator{
			"call": {Command: text, NeedsCommand: true}, "echo": {Command: text, NeedsCommand: true}, "fail": {Command: text}, "notify": {Command: text},
			"for_each":  {Command: dig.Value{Kind: dig.JSONObject, Others: &dig.Value{Kind: dig.JSONList}}, Generates: true},
			"for_range": {Command: dig.Value{Kind: dig.JSONObject, Required: []string{"from", "to"}, Fields: map[string]dig.Value{"from": integer, "to": integer, "step": integer}}, Generates: true},
			"if":        {Command: boolean, NeedsCommand: true, Generates: true},
			"loop":      {Command: integer, NeedsCommand: true, Generates: true, Keys: map[string]dig.Value{"count": integer}},
			"http":      {Command: text, Blocks: []string{"http"}, Keys: map[string]dig.Value{"timeout": integer, "retry": boolean}},
			"py":        {Open: true, Blocks: []string{"py"}, Keys: map[string]dig.Value{"python": {Kind: dig.TextOrList}}},
			"rb":        {Open: true, Blocks: []string{"rb"}, Keys: map[string]dig.Value{"require": text}},
			"sh":        {Command: text, NeedsCommand: true, Open: true, Blocks: []string{"sh"}, Keys: map[string]dig.Value{"shell": {Kind: dig.List, Items: &text}}},
			"require": {Command: text, NeedsCommand: true, Keys: map[string]dig.Value{
				"ignore_failure": boolean, "params": {Kind: dig.Object}, "session_time": {Kind: dig.Instant}, "project_name": text,
				"rerun_on": {Kind: dig.Text, Choices: []string{"none", "failed", "all"}},
			}},
			"wait": {Command: dig.Value{Kind: dig.Duration}, NeedsCommand: true, Keys: map[string]dig.Value{"blocking": boolean, "poll_interval": {Kind: dig.Duration}}},
		},
		Expression: func(text string) (code, fault string) {
			_, code, found := strings.Cut(text, "${")
			inner, _, closed := strings.Cut(code, "}")
			switch {
			case !found || inner == "":
				return "", ""
			case !closed:
				return "${" + code, ""
			case strings.HasSuffix(inner, "+"):
				return "${" + inner + "}", "Unexpected token }"
			}
			return "", ""
		},
	}
}
