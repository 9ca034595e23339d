package dig

import (
	"fmt"

	"github.com/trowel-project/trowel/internal/dig/yaml"
)

// keyLost is the warning for a task whose body is a list, if an item overrides a key of an earlier one.
const keyLost = "'%s' stands in more than one item of this task: only the last counts"

// lostKeys warns about keys of tasks below a node that a later item of their list overrides (language L66). A
// list does not make tasks that run one after the other.
func (in *inspection) lostKeys(file string, n *yaml.Node, visited map[*yaml.Node]bool) {
	if visited[n] {
		return
	}
	visited[n] = true
	for i, child := range n.Children {
		if n.Kind == yaml.Mapping && i%2 == 0 {
			continue
		}
		if n.Kind == yaml.Mapping && child.Kind == yaml.Sequence && isTaskKey(n.Children[i-1].Value) {
			in.lostInItems(file, child)
		}
		in.lostKeys(file, child, visited)
	}
}

func (in *inspection) lostInItems(file string, list *yaml.Node) {
	seen := map[string]bool{}
	for _, item := range list.Children {
		if item.Kind != yaml.Mapping {
			continue
		}
		for i := 0; i < len(item.Children); i += 2 {
			key := item.Children[i]
			if key.Kind != yaml.Scalar || tagOf(key) != tagStr {
				continue
			}
			if seen[key.Value] {
				in.tell(Finding{
					Place: placeIn(file, key.Start), Severity: SeverityWarning, Rule: ruleDuplicate,
					Message: fmt.Sprintf(keyLost, key.Value), Hint: "write each item as a task of its own: `+name:`",
				})
			}
			seen[key.Value] = true
		}
	}
}
