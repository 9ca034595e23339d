package template

import (
	"reflect"

	"github.com/dop251/goja"
)

// helper returns a function that rewritten code calls (see rewrite.go), or nil.
func (env *environment) helper(name string) goja.Value {
	one := func(f func(goja.Value) goja.Value) goja.Value {
		return env.native("", 1, func(c goja.FunctionCall) goja.Value { return f(c.Argument(0)) })
	}
	switch name {
	case helperResult:
		return one(env.checkResult)
	case helperSpread:
		return one(env.checkSpread)
	case helperKey:
		return one(env.checkKey)
	case helperLength:
		return one(env.lengthCall)
	case helperTick:
		return one(func(cost goja.Value) goja.Value {
			env.charge(int(cost.ToInteger()))
			return goja.Undefined()
		})
	}
	return nil
}

// checkResult announces the size of a new value and throws if it is a text that is too long.
func (env *environment) checkResult(v goja.Value) goja.Value {
	switch v := v.(type) {
	case goja.String:
		env.charge(costItem + env.textLength(v.Length()))
	case *goja.Object:
		env.charge(objectCost(v))
	}
	return v
}

func objectCost(object *goja.Object) int {
	const stack = 4096 // memory that an error or a generator needs for its stack
	switch kindOf(object) {
	case kindList:
		return costList + costItem*int(min(length(object), maxItems))
	case kindMap, kindSet:
		return costList + 4*costItem*int(number(object, "size"))
	case kindBuffer:
		return costObject + int(number(object, "byteLength"))
	case kindOther:
	}
	switch object.ClassName() {
	case "Error", "Generator":
		return costObject + stack
	case "Function":
		return costFunction
	}
	return costObject
}

// kind says of what an object may contain many.
type kind int

const (
	kindOther kind = iota
	kindList
	kindMap
	kindSet
	kindBuffer // also typed lists
)

// kindOf returns the kind of an object by what it is, not by what its properties say.
func kindOf(object *goja.Object) kind {
	switch object.ClassName() {
	case "Array", "Arguments":
		return kindList
	case "Object":
	default:
		return kindOther
	}
	switch exported := object.ExportType(); exported {
	case reflect.TypeFor[[][2]any]():
		return kindMap
	case reflect.TypeFor[[]any]():
		return kindSet
	case reflect.TypeFor[goja.ArrayBuffer]():
		return kindBuffer
	default:
		if exported.Kind() == reflect.Slice {
			return kindBuffer
		}
		return kindOther
	}
}

// number returns a property that should be a number.
func number(object *goja.Object, name string) int64 {
	v := object.Get(name)
	if v == nil {
		return 0
	}
	return v.ToInteger()
}

// length returns the length property of a list.
func length(object *goja.Object) int64 { return number(object, "length") }

// checkSpread throws if an object has too many items to be spread, and announces their number.
// Generators need no check, as their own code announces each round.
func (env *environment) checkSpread(v goja.Value) goja.Value {
	switch v := v.(type) {
	case goja.String:
		env.charge(2 * costItem * int(env.itemCount(int64(v.Length()))))
	case *goja.Object:
		env.charge(4 * costItem * int(env.itemCount(pieces(v))))
	}
	return v
}

// pairCost is the number of list items that count as much as a pair of key and value.
const pairCost = 8

// pieces returns the number of items when an object is spread.
func pieces(object *goja.Object) int64 {
	switch kindOf(object) {
	case kindList, kindBuffer:
		return length(object)
	case kindMap:
		return pairCost * number(object, "size")
	case kindSet:
		return number(object, "size")
	case kindOther:
	}
	if object.ClassName() == "Object" {
		return int64(len(object.Keys()))
	}
	return 0
}

// checkKey turns a value into a property key and puts the guards of that name in place.
func (env *environment) checkKey(v goja.Value) goja.Value {
	if goja.IsNumber(v) {
		return v
	}
	if _, ok := v.(*goja.Symbol); ok {
		return v
	}
	key := env.toText(v)
	env.guard(key.String())
	return key
}

// lengthCall implements x.length(): Java's method for texts (language T20), and a plain method call for others.
func (env *environment) lengthCall(v goja.Value) goja.Value {
	if s, ok := v.(goja.String); ok {
		return env.rt.ToValue(s.Length())
	}
	if goja.IsUndefined(v) || goja.IsNull(v) {
		env.throwType("Cannot read property 'length' of %s", v)
	}
	object := v.ToObject(env.rt)
	if object.ClassName() == "String" {
		return object.Get("length")
	}
	method, ok := goja.AssertFunction(object.Get("length"))
	if !ok {
		env.throwType(formatNoFunction, "length")
	}
	return callJS(method, v)
}
