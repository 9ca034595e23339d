package template

import "github.com/trowel-project/trowel/internal/param"

// scope is what an expression sees (language T9): the parameters of the task as they are written, and before these the
// keys of the same object that are already evaluated.
type scope struct {
	params *param.Map
	built  *param.Map // replaces params key by key; may be nil
}

func (s scope) get(name string) (param.Value, bool) {
	if v, ok := s.built.Get(name); ok {
		return v, true
	}
	return s.params.Get(name)
}

// keys returns all names: those of the parameters, then new ones.
func (s scope) keys() []string {
	keys := s.params.Keys()
	for key := range s.built.All() {
		if !s.params.Has(key) {
			keys = append(keys, key)
		}
	}
	return keys
}
