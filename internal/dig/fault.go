package dig

import (
	"fmt"

	"github.com/trowel-project/trowel/internal/param"
)

// Fault says what is wrong with the command or an option of a failed task, and how to mend it. key is the wrong
// one. All results are empty if nothing wrong can be seen. Values with expressions are not
// checked.
func (c Catalog) Fault(body *param.Map) (key, message, hint string) {
	key, name, command := operatorOf(body)
	known, ok := c.Operators[name]
	if !ok {
		return "", "", ""
	}
	if command == nil && known.NeedsCommand {
		return key, fmt.Sprintf(commandMissing, key), ""
	}
	for _, f := range judge(name+">", command, known.Command) {
		return key, f.message, f.hint
	}
	for own, value := range body.All() {
		option, ok := known.Keys[own]
		if !ok {
			continue
		}
		for _, f := range judge(own, value, option) {
			return own, f.message, f.hint
		}
	}
	return "", "", ""
}
