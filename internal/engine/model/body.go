package model

import (
	"strconv"

	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// Body reads the body of a task from compact YAML, as "{+a: {op>: 1}, +b: {op>: 2}}".
func Body(text string) (*param.Map, error) {
	doc, err := yaml.Parse(text)
	if err != nil {
		return nil, err
	}
	body, _ := value(doc.Root).(*param.Map)
	return body, nil
}

func value(n *yaml.Node) param.Value {
	switch {
	case n.Kind == yaml.Sequence:
		list := param.List{}
		for _, child := range n.Children {
			list = append(list, value(child))
		}
		return list
	case n.Kind == yaml.Mapping:
		m := param.New()
		for i := 0; i+1 < len(n.Children); i += 2 {
			m.Set(n.Children[i].Value, value(n.Children[i+1]))
		}
		return m
	case !n.Plain:
		return n.Value
	case n.Value == "null":
		return nil
	case n.Value == "true", n.Value == "false":
		return n.Value == "true"
	}
	if number, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
		return number
	}
	return n.Value
}
