package dig

import (
	"path"
	"slices"
	"strconv"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig/yaml"
	"github.com/trowel-project/trowel/internal/param"
)

// laterBodies returns the keys whose bodies become tasks while an attempt runs.
func laterBodies() []string { return []string{keyDo, keyElseDo, keyError, keyCheck, keySLA, keyExport} }

// setOrigins sets the places of tasks that were compiled from a body. A task that is not in its text,
// such as an iteration of a loop, gets the place of the task above it.
func setOrigins(tasks []Task, body trowel.Origin) {
	if body.Place == "" {
		return
	}
	later := laterBodies()
	whole := make([]trowel.Origin, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		whole[i] = body
		if t.Parent >= 0 {
			inner, ok := whole[t.Parent].Inside(t.Name)
			if !ok {
				inner = whole[t.Parent]
			}
			whole[i] = inner
		}
		t.Origin = whole[i].Keep(later, t.has)
	}
}

// has reports whether the task has a key, in its body or as its _export.
func (t *Task) has(key string) bool {
	return t.Local.Has(key) || key == keyExport && t.Export.Len() > 0
}

// origin returns where the bodies of a loaded file are written.
func (l *loader) origin(name string) trowel.Origin {
	origin := trowel.Origin{Place: placeIn(name, yaml.Mark{}).String(), Bodies: param.New()}
	l.addBodies(origin.Bodies, bodyIn{name, name}, l.roots[name], isBody)
	if origin.Bodies.Len() == 0 {
		origin.Bodies = nil
	}
	return origin
}

// bodyIn is the place of a node: its file, and the file of the body around it.
type bodyIn struct{ file, around string }

// isBody reports whether the value of a key of a body may become tasks.
func isBody(key string) bool { return isTaskKey(key) || slices.Contains(laterBodies(), key) }

// isExported is isBody for the keys of an _export.
func isExported(key string) bool { return isBody(key) && !isTaskKey(key) && key != keyExport }

// addBodies adds what is known about the bodies in a node. Aliases and merge keys were followed, and limited,
// when the values were made.
func (l *loader) addBodies(bodies *param.Map, in bodyIn, n *yaml.Node, wanted func(key string) bool) {
	if n == nil {
		return
	}
	if n.Kind == yaml.Sequence { // language L66
		for _, element := range n.Children {
			l.addBodies(bodies, in, element, wanted)
		}
		return
	}
	if n.Kind != yaml.Mapping {
		return
	}
	for i := 0; i+1 < len(n.Children); i += 2 {
		key, value := n.Children[i], n.Children[i+1]
		switch {
		case tagOf(key) == tagInclude || strings.HasPrefix(key.Value, includePrefix):
			if file, ok := includePath(l.dir, path.Dir(in.file), value.Value); ok {
				l.addBodies(bodies, bodyIn{file, in.around}, l.roots[file], wanted)
			}
		case wanted(key.Value) && key.Kind == yaml.Scalar:
			if body := l.bodyOf(in, key, value); body != nil {
				bodies.Set(key.Value, body)
			}
		}
	}
}

// bodyOf describes one body in the form of Origin.Bodies. It is nil for an _export without bodies.
func (l *loader) bodyOf(in bodyIn, key, value *yaml.Node) param.Value {
	place := strconv.Itoa(int(key.Start.Line)+1) + ":" + strconv.Itoa(int(key.Start.Column)+1)
	if in.file != in.around {
		place = in.file + ":" + place
	}
	if len(value.Children) == 0 {
		if key.Value == keyExport {
			return nil
		}
		return place
	}
	wanted := isBody
	if key.Value == keyExport {
		wanted = isExported
	}
	inner := param.Of("@", place)
	l.addBodies(inner, bodyIn{in.file, in.file}, value, wanted)
	switch {
	case inner.Len() > 1:
		return inner
	case key.Value == keyExport:
		return nil
	default:
		return place
	}
}

// taskPath returns the keys that lead from the root's body to a task.
func taskPath(tasks []Task, index int) []string {
	var keys []string
	for ; index >= 0 && tasks[index].Parent >= 0; index = tasks[index].Parent {
		keys = append([]string{tasks[index].Name}, keys...)
	}
	return keys
}
