package operator

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Selection is the operator that a configuration names.
type Selection struct {
	Type string // name of the operator, which may not exist
	// Config is the configuration with _type and _command. Command is the value of _command.
	Config *param.Map
	byType bool // named by _type
}

// Select finds the operator of a merged and evaluated configuration (language L48, operators 1.1).
// _type names it, or else the first key that ends with ">". The value of that key becomes _command, unless it is
// null. If there is neither, ok is false, and the task succeeds with an empty result. config is
// not changed.
func Select(config *param.Map) (s Selection, ok bool, err error) {
	if config.Has("_type") {
		name, err := param.NewReader(config).String("_type")
		if err != nil {
			return Selection{}, false, err
		}
		return Selection{Type: name, Config: config.Clone(), byType: true}, true, nil
	}
	for key, command := range config.All() {
		name, isOperator := strings.CutSuffix(key, ">")
		if !isOperator {
			continue
		}
		selected := config.CloneFor(2)
		selected.Set("_type", name)
		if command == nil {
			selected.Delete("_command")
		} else {
			selected.Set("_command", command)
		}
		return Selection{Type: name, Config: selected}, true, nil
	}
	return Selection{}, false, nil
}

// String returns the line with which a run begins in the task's log (operators 1.17).
func (s Selection) String() string {
	if s.byType {
		return "type: " + s.Type
	}
	command, _ := s.Config.Get("_command")
	var line strings.Builder
	line.WriteString(s.Type + ">: ")
	if command != nil {
		writeJava(&line, command)
	}
	return line.String()
}

// writeJava writes a value as Java prints maps and lists: {a=1, b=[x, y]}.
func writeJava(out *strings.Builder, value param.Value) {
	switch value := value.(type) {
	case *param.Map:
		out.WriteByte('{')
		separator := ""
		for key, member := range value.All() {
			out.WriteString(separator + key + "=")
			writeJava(out, member)
			separator = ", "
		}
		out.WriteByte('}')
	case param.List:
		out.WriteByte('[')
		for i, element := range value {
			if i > 0 {
				out.WriteString(", ")
			}
			writeJava(out, element)
		}
		out.WriteByte(']')
	case nil:
		out.WriteString("null")
	default:
		text, _ := param.AsString(value)
		out.WriteString(text)
	}
}
