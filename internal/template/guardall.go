package template

import "github.com/dop251/goja"

// guardAll puts all guards for methods in place, for code that can reach methods without naming them.
// It cannot reach globals in this way.
func (env *environment) guardAll() {
	for _, name := range []string{
		"apply", "assign", "bind", "concat", "constructor", "copyWithin", "entries", "every", "exec", "fill", "filter", "find",
		"findIndex", "findLast", "findLastIndex", "flat", "flatMap", "forEach", "from", "includes", "indexOf", "join", "JSON",
		"keys", "lastIndexOf", "map", "match", "matchAll", "padEnd", "padStart", "push", "raw", "reduce", "reduceRight",
		"repeat", "replace", "replaceAll", "reverse", "search", "shift", "slice", "some", "sort", "splice", "split", "test",
		"toReversed", "toSorted", "toSpliced", "unshift", "values", "with",
	} {
		env.guard(name)
	}
	for _, name := range globalNames() {
		env.guard(name)
	}
}

// globalNames returns the globals that have guards.
func globalNames() []string {
	return []string{
		"ArrayBuffer", "BigInt", "BigInt64Array", "BigUint64Array", "DataView", "Date", "Float32Array", "Float64Array",
		"Function", "GoError", "Int16Array", "Int32Array", "Int8Array", "Map", "Promise", "Proxy", "Reflect", "RegExp", "Set",
		"Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakSet", "eval",
	}
}

// guardSymbol guards the methods whose names are symbols.
func (env *environment) guardSymbol() {
	env.once("all", (*environment).guardAll)
	lists, texts := env.listPrototype(), env.stringPrototype()
	env.iterator(lists, func(v goja.Value) {
		if object, ok := v.(*goja.Object); ok {
			env.itemCount(length(object))
		}
	})
	env.iterator(texts, func(v goja.Value) { env.itemCount(int64(env.toText(v).Length())) })
	pattern, ok := env.rt.Get("RegExp").(*goja.Object)
	if !ok {
		return
	}
	prototype, ok := pattern.Get("prototype").(*goja.Object)
	if !ok {
		return
	}
	for _, symbol := range []*goja.Symbol{goja.SymMatch, goja.SymMatchAll, goja.SymSearch, goja.SymSplit} {
		env.symbolMethod(prototype, symbol, func(c goja.FunctionCall) { env.searched(env.toText(c.Argument(0)).Length()) })
	}
	env.symbolMethod(prototype, goja.SymReplace, func(c goja.FunctionCall) {
		text := env.toText(c.Argument(0))
		env.searched(text.Length())
		if _, function := goja.AssertFunction(c.Argument(1)); !function && !env.surelySmall(text, env.toText(c.Argument(1))) {
			env.throwTooLarge("string length", env.evaluator.options.MaxResultBytes)
		}
	})
}

func (env *environment) iterator(prototype *goja.Object, check func(goja.Value)) {
	env.symbolMethod(prototype, goja.SymIterator, func(c goja.FunctionCall) { check(c.This) })
}

// symbolMethod replaces a method whose name is a symbol.
func (env *environment) symbolMethod(object *goja.Object, symbol *goja.Symbol, check func(goja.FunctionCall)) {
	own, ok := goja.AssertFunction(object.GetSymbol(symbol))
	if !ok {
		return
	}
	method := env.native("["+symbol.String()+"]", 1, func(c goja.FunctionCall) goja.Value {
		check(c)
		return env.timed(func() goja.Value { return callJS(own, c.This, c.Arguments...) })
	})
	if err := object.DefineDataPropertySymbol(symbol, method, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		throw(err)
	}
}
