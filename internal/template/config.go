package template

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Config merges the own keys of a task into its parameters and evaluates the result key by key:
// first the parameters in their order, then the new own keys in the order of the file. An own key that
// replaces a parameter is evaluated in the parameter's place (language T8). An expression sees
// the parameters as they are written, and before these the keys of its own object that are already evaluated (T9, T10).
// Keys, and the values of _do and _else_do, are not evaluated (T2, T3).
//
// scope is P of language P3 with the built-in parameters. local must not have _export, _check and _error.
// Neither is changed, and what needs no evaluation is shared with the result. A nil zone means UTC.
// Errors are those of Text.
func (e *Evaluator) Config(ctx context.Context, scope, local *param.Map, zone *time.Location) (*param.Map, error) {
	w := walk{ctx: ctx, evaluator: e, params: scope, zone: zone}
	merged := scope.CloneFor(local.Len())
	merged.Merge(local)
	changed := param.New()
	for key, value := range merged.All() {
		own := local.Has(key)
		if left(key) || !templated(value) {
			if own {
				changed.Set(key, value)
			}
			continue
		}
		evaluated, err := w.value(value, changed)
		if err != nil {
			return nil, err
		}
		changed.Set(key, evaluated)
	}
	for key, value := range changed.All() {
		merged.Set(key, value)
	}
	return merged, nil
}

// walk is the evaluation of one configuration.
type walk struct {
	ctx       context.Context //nolint:containedctx // lives as long as one call
	evaluator *Evaluator
	params    *param.Map
	zone      *time.Location
}

// value evaluates the value of a key or list item. built has the evaluated keys of the object around it.
func (w *walk) value(v param.Value, built *param.Map) (param.Value, error) {
	if !templated(v) {
		return v, nil
	}
	switch v := v.(type) {
	case string:
		return w.evaluator.text(w.ctx, v, scope{params: w.params, built: built}, w.zone)
	case param.List:
		return w.list(v, built)
	case *param.Map:
		return w.object(v)
	default:
		return v, nil
	}
}

// list evaluates the items of a list. They see what the list sees (language T10.4).
func (w *walk) list(list param.List, built *param.Map) (param.Value, error) {
	evaluated := make(param.List, len(list))
	for i, item := range list {
		v, err := w.value(item, built)
		if err != nil {
			return nil, err
		}
		evaluated[i] = v
	}
	return evaluated, nil
}

// object evaluates a nested object. Its keys only see earlier keys of the same object (language T10.3).
func (w *walk) object(m *param.Map) (param.Value, error) {
	built := param.New()
	for key, value := range m.All() {
		if !left(key) {
			v, err := w.value(value, built)
			if err != nil {
				return nil, err
			}
			value = v
		}
		built.Set(key, value)
	}
	return built, nil
}

// left reports whether the value of a key stays as it is (language T3).
func left(key string) bool { return key == "_do" || key == "_else_do" }

// templated reports whether a value contains a text with a dollar sign (language T4).
func templated(v param.Value) bool {
	switch v := v.(type) {
	case string:
		return strings.IndexByte(v, '$') >= 0
	case param.List:
		return slices.ContainsFunc(v, templated)
	case *param.Map:
		for key, value := range v.All() {
			if !left(key) && templated(value) {
				return true
			}
		}
	}
	return false
}
