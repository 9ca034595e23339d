package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// listGuard replaces a method of lists, which accepts any object with a length. It throws if the
// list is too long, as native functions cannot be interrupted.
func listGuard(name string) func(*environment) {
	return func(env *environment) {
		prototype := env.listPrototype()
		own := original(prototype, name)
		parameters := 1
		if f, ok := prototype.Get(name).(*goja.Object); ok {
			parameters = int(length(f))
		}
		env.method(prototype, name, parameters, func(c goja.FunctionCall) goja.Value {
			total := int64(len(c.Arguments))
			if object, ok := c.This.(*goja.Object); ok {
				total += env.itemCount(length(object))
			}
			if name == "entries" {
				total *= pairCost
			}
			if name == "concat" {
				for _, arg := range c.Arguments {
					if list, ok := arg.(*goja.Object); ok && list.ClassName() == "Array" {
						total = env.itemCount(total + length(list))
					}
				}
			}
			env.charge(costItem * int(env.itemCount(total)))
			return callJS(own, c.This, c.Arguments...)
		})
	}
}

// guardJoin replaces join, and with it the text of lists. A list that is shared many times inside others
// may have an endless text.
func (env *environment) guardJoin() {
	var open []*goja.Object
	join := func(c goja.FunctionCall, separator string, text func(goja.Value) string) goja.Value {
		list := c.This.ToObject(env.rt)
		if slices.Contains(open, list) {
			return env.rt.ToValue("") // as in all engines, though no standard says so
		}
		if len(open) >= maxNesting {
			env.throwRange(tooDeep)
		}
		open = append(open, list)
		defer func() { open = open[:len(open)-1] }()
		var out strings.Builder
		for i := range env.itemCount(length(list)) {
			if i > 0 {
				out.WriteString(separator)
			}
			if v := item(list, i); !absent(v) {
				out.WriteString(text(v))
			}
			env.textLength(out.Len())
		}
		env.charge(out.Len())
		return env.rt.ToValue(out.String())
	}
	prototype := env.listPrototype()
	env.method(prototype, "join", 1, func(c goja.FunctionCall) goja.Value {
		separator := ","
		if v := c.Argument(0); !goja.IsUndefined(v) {
			separator = env.toText(v).String()
		}
		return join(c, separator, func(v goja.Value) string { return env.toText(v).String() })
	})
	// The interpreter's own toLocaleString fails for objects without toString.
	env.method(env.rt.NewObject().Prototype(), "toLocaleString", 0, func(c goja.FunctionCall) goja.Value {
		if absent(c.This) {
			env.throwType("Cannot convert undefined or null to object")
		}
		method, ok := goja.AssertFunction(c.This.ToObject(env.rt).Get("toString"))
		if !ok {
			env.throwType(formatNoFunction, "toString")
		}
		return callJS(method, c.This)
	})
	env.method(prototype, "toLocaleString", 0, func(c goja.FunctionCall) goja.Value {
		return join(c, ",", func(v goja.Value) string {
			method := original(v.ToObject(env.rt), "toLocaleString")
			return callJS(method, v).ToString().String()
		})
	})
}

// guardFlat replaces flat and flatMap. A list that is shared many times inside others may have an
// endless number of items.
func (env *environment) guardFlat() {
	prototype := env.listPrototype()
	env.guard("map")
	mapped := original(prototype, "map")
	env.method(prototype, "flat", 0, func(c goja.FunctionCall) goja.Value {
		depth := int64(1)
		if v := c.Argument(0); !goja.IsUndefined(v) {
			depth = v.ToInteger()
		}
		return env.flatten(c.This.ToObject(env.rt), depth)
	})
	env.method(prototype, "flatMap", 1, func(c goja.FunctionCall) goja.Value {
		return env.flatten(callJS(mapped, c.This, c.Arguments...).ToObject(env.rt), 1)
	})
}

func (env *environment) flatten(list *goja.Object, depth int64) goja.Value {
	var items []any
	var add func(list *goja.Object, depth int64, nesting int)
	add = func(list *goja.Object, depth int64, nesting int) {
		if nesting > maxNesting {
			env.throwRange(tooDeep)
		}
		for i := range env.itemCount(length(list)) {
			v := list.Get(strconv.FormatInt(i, 10))
			if v == nil {
				continue // there is no item
			}
			if inner, ok := v.(*goja.Object); ok && depth > 0 && inner.ClassName() == "Array" {
				env.check()
				add(inner, depth-1, nesting+1)
				continue
			}
			items = append(items, v)
			env.itemCount(int64(len(items)))
		}
	}
	add(list, depth, 0)
	env.charge(costItem * len(items))
	return env.rt.NewArray(items...)
}

// guardFrom replaces Array.from, which accepts any object with a length.
func (env *environment) guardFrom() {
	class, ok := env.listPrototype().Get("constructor").(*goja.Object)
	if !ok {
		return
	}
	from := original(class, "from")
	env.method(class, "from", 1, func(c goja.FunctionCall) goja.Value {
		if object, ok := c.Argument(0).(*goja.Object); ok {
			env.charge(costItem * int(env.itemCount(length(object))))
			env.checkSpread(object)
		}
		return callJS(from, c.This, c.Arguments...)
	})
}

// guardObject replaces the functions of Object that make one thing for each key of an object.
func (env *environment) guardObject() {
	class, ok := env.rt.NewObject().Prototype().Get("constructor").(*goja.Object)
	if !ok {
		return
	}
	for _, name := range []string{"assign", "entries", "fromEntries", "values"} {
		own := original(class, name)
		env.method(class, name, 1, func(c goja.FunctionCall) goja.Value {
			for _, arg := range c.Arguments {
				if object, ok := arg.(*goja.Object); ok {
					keys := max(pieces(object), int64(len(object.Keys())))
					env.charge(costItem * int(env.itemCount(pairCost*keys)))
				}
			}
			return callJS(own, c.This, c.Arguments...)
		})
	}
}

// collectionGuard replaces Map, Set and their weak variants, whose constructors take a list.
func collectionGuard(name string) func(*environment) {
	return func(env *environment) {
		if collection, ok := env.rt.Get(name).(*goja.Object); ok {
			env.guardEntries(collection.Get("prototype"))
		}
		env.replaceConstructor(name, func(args []goja.Value) {
			if len(args) > 0 {
				env.checkSpread(args[0])
			}
		})
	}
}

// guardEntries replaces entries of maps and sets.
func (env *environment) guardEntries(v goja.Value) {
	prototype, ok := v.(*goja.Object)
	if !ok || prototype.Get("entries") == nil {
		return
	}
	entries := original(prototype, "entries")
	env.method(prototype, "entries", 0, func(c goja.FunctionCall) goja.Value {
		if object, ok := c.This.(*goja.Object); ok {
			env.charge(costItem * int(env.itemCount(pieces(object))))
		}
		return callJS(entries, c.This)
	})
}

// bufferGuard replaces ArrayBuffer and typed lists, whose constructors take a size.
func bufferGuard(name string) func(*environment) {
	const widest = 8 // bytes an item
	return func(env *environment) {
		env.replaceConstructor(name, func(args []goja.Value) {
			if len(args) == 0 {
				return
			}
			n := int64(0)
			if object, ok := args[0].(*goja.Object); ok {
				n = length(object)
			} else if !goja.IsUndefined(args[0]) {
				n = args[0].ToInteger()
			}
			env.charge(widest * int(env.itemCount(n)))
		})
	}
}

// replaceConstructor replaces a global constructor by one that checks the arguments first. Properties
// of the constructor are moved to the new one.
func (env *environment) replaceConstructor(name string, check func(args []goja.Value)) {
	own, ok := env.rt.Get(name).(*goja.Object)
	if !ok {
		return
	}
	prototype, ok := own.Get("prototype").(*goja.Object)
	if !ok {
		return
	}
	create, ok := goja.AssertConstructor(own)
	if !ok {
		return
	}
	constructor := env.constructor(name, int(length(own)), prototype, func(newTarget *goja.Object, args []goja.Value) goja.Value {
		if newTarget == nil {
			env.throwType("Constructor %s requires 'new'", name)
		}
		check(args)
		object, err := create(newTarget, args...)
		if err != nil {
			throw(err)
		}
		return object
	})
	for _, key := range own.GetOwnPropertyNames() {
		switch key {
		case "name", "length", "prototype":
		default:
			define(constructor, key, own.Get(key), goja.FLAG_FALSE)
		}
	}
	if err := constructor.SetPrototype(own.Prototype()); err != nil {
		throw(err)
	}
	env.global(name, constructor)
}
