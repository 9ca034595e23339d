package dig

import (
	"fmt"

	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// pairs makes an object from a sequence with the tag !!omap, or a list of pairs from one with !!pairs.
// The elements must be mappings with one key (language L19).
func (c *conversion) pairs(n *yaml.Node, ordered bool) (param.Value, *Error) {
	context := "while constructing pairs"
	if ordered {
		context = "while constructing an ordered map"
	}
	refuse := func(context, problem string, at *yaml.Node) (param.Value, *Error) {
		return nil, yamlError(c.doc.Error(KindConstructor, context, n, problem, at))
	}
	if n.Kind != yaml.Sequence {
		return refuse(context, fmt.Sprintf("expected a sequence, but found %s", n.Kind), n)
	}
	m, list := param.New(), param.List{}
	for _, element := range n.Children {
		if element.Kind != yaml.Mapping {
			problem := fmt.Sprintf("expected a mapping of length 1, but found %s", element.Kind)
			if !ordered {
				context = "while constructingpairs" // as SnakeYAML has it
			}
			return refuse(context, problem, element)
		}
		if items := len(element.Children) / 2; items != 1 {
			return refuse(context, fmt.Sprintf("expected a single mapping item, but found %d items", items), element)
		}
		first, second := element.Children[0], element.Children[1]
		k, err := c.key(first)
		if err != nil {
			return nil, err
		}
		value, err := c.value(second)
		if err != nil {
			return nil, err
		}
		if ordered {
			if k.kind == 'n' {
				c.nullKey = first
			}
			m.Set(k.text, value)
			continue
		}
		keyValue, err := c.value(first)
		if err != nil {
			return nil, err
		}
		list = append(list, param.List{keyValue, value})
	}
	if ordered {
		return m, nil
	}
	return list, nil
}
