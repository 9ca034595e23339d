package kubernetes

import "github.com/trowel-project/trowel/internal/param"

// at returns what stands below keys of objects; nil if it is missing.
func at(object *param.Map, keys ...string) param.Value {
	var value param.Value = object
	for _, key := range keys {
		inner, ok := value.(*param.Map)
		if !ok || inner == nil {
			return nil
		}
		value, _ = inner.Get(key)
	}
	return value
}

// mapAt and textAt are at for objects and texts; nil and empty if there is another value.
func mapAt(object *param.Map, keys ...string) *param.Map {
	m, _ := at(object, keys...).(*param.Map)
	return m
}

func textAt(object *param.Map, keys ...string) string {
	text, _ := param.AsString(at(object, keys...))
	return text
}

// first returns the first object of a list.
func first(object *param.Map, keys ...string) *param.Map {
	list, _ := at(object, keys...).(param.List)
	if len(list) == 0 {
		return nil
	}
	m, _ := list[0].(*param.Map)
	return m
}
