package template

import (
	"slices"

	"github.com/dop251/goja"
)

// parameters is the object whose properties are the variables of an expression. It is also its this
// (language T21). A parameter is converted at its first use, and changes stay here (T23).
type parameters struct {
	env     *environment
	scope   scope
	values  map[string]goja.Value // converted or assigned
	deleted map[string]bool
	added   []string // assigned names that are not parameters
}

func newParameters(env *environment, sc scope) *parameters {
	return &parameters{env: env, scope: sc, values: map[string]goja.Value{}}
}

// Get is part of goja.DynamicObject.
func (p *parameters) Get(key string) goja.Value {
	if v, ok := p.values[key]; ok {
		return v
	}
	if p.deleted[key] {
		return nil
	}
	if key != "" && key[0] == 0 {
		return p.keep(key, p.env.helper(key))
	}
	v, ok := p.scope.get(key)
	if !ok {
		return nil
	}
	return p.keep(key, toJS(p.env.rt, v))
}

func (p *parameters) keep(key string, v goja.Value) goja.Value {
	if v != nil {
		p.values[key] = v
	}
	return v
}

// Has is part of goja.DynamicObject.
func (p *parameters) Has(key string) bool {
	if _, ok := p.values[key]; ok {
		return true
	}
	if p.deleted[key] {
		return false
	}
	if _, ok := p.scope.get(key); ok {
		return true
	}
	return key != "" && key[0] == 0 && p.Get(key) != nil
}

// Set is part of goja.DynamicObject.
func (p *parameters) Set(key string, v goja.Value) bool {
	if key != "" && key[0] == 0 {
		return false
	}
	_, known := p.scope.get(key)
	if p.deleted[key] || !known && !slices.Contains(p.added, key) {
		delete(p.deleted, key)
		p.added = append(p.added, key)
	}
	if v == nil {
		v = goja.Undefined()
	}
	p.values[key] = v
	return true
}

// Delete is part of goja.DynamicObject.
func (p *parameters) Delete(key string) bool {
	if key != "" && key[0] == 0 {
		return false
	}
	delete(p.values, key)
	p.added = slices.DeleteFunc(p.added, func(name string) bool { return name == key })
	if _, known := p.scope.get(key); known {
		if p.deleted == nil {
			p.deleted = map[string]bool{}
		}
		p.deleted[key] = true
	}
	return true
}

// Keys is part of goja.DynamicObject.
func (p *parameters) Keys() []string {
	keys := slices.DeleteFunc(p.scope.keys(), func(key string) bool { return p.deleted[key] || slices.Contains(p.added, key) })
	return propertyOrder(append(keys, p.added...))
}
