package template

import (
	"math/big"

	"github.com/dop251/goja"

	"github.com/trowel-project/trowel/internal/param"
)

// toJS converts a parameter to a plain JavaScript value, which shares nothing with it. Numbers
// become doubles, as in JSON.parse (language T18).
func toJS(rt *goja.Runtime, v param.Value) goja.Value {
	switch v := v.(type) {
	case string:
		return rt.ToValue(validText(v))
	case bool:
		return rt.ToValue(v)
	case int64:
		if v < -maxSafe || v > maxSafe {
			return rt.ToValue(float64(v))
		}
		return rt.ToValue(v)
	case *big.Int:
		return rt.ToValue(bigFloat(v))
	case float64:
		if !isFinite(v) {
			return rt.ToValue(param.FloatText(v)) // they are texts in JSON
		}
		return rt.ToValue(v)
	case param.List:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = toJS(rt, item)
		}
		return rt.NewArray(items...)
	case *param.Map:
		return objectOf(rt, v)
	default:
		return goja.Null()
	}
}

func objectOf(rt *goja.Runtime, m *param.Map) *goja.Object {
	object := rt.NewObject()
	for key, value := range m.All() {
		define(object, validText(key), toJS(rt, value), goja.FLAG_TRUE)
	}
	return object
}

// define gives an object a property of its own, even if its prototype has one with that name.
func define(object *goja.Object, name string, value goja.Value, enumerable goja.Flag) {
	if err := object.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, enumerable); err != nil {
		throw(err)
	}
}

// throw throws a JavaScript exception, or passes on an error of a call into JavaScript.
func throw(v any) { panic(v) } //nolint:forbidigo // this is how goja throws

// callJS calls a function and passes on what it throws.
func callJS(fn goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	result, err := fn(this, args...)
	if err != nil {
		throw(err)
	}
	return result
}

// toText converts a value to a text. It throws if there is none.
func (env *environment) toText(v goja.Value) goja.String {
	primitive := v.ToString() // numbers stay numbers
	if s, ok := primitive.(goja.String); ok {
		return s
	}
	if _, ok := primitive.(*goja.Symbol); ok {
		env.throwType("Cannot convert a Symbol value to a string")
	}
	s, _ := env.rt.ToValue(primitive.String()).(goja.String)
	return s
}
