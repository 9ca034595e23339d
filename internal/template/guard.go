package template

import "github.com/dop251/goja"

// Guards replace parts of the language that are too dangerous as they are: they would take
// any amount of memory or time in one native call, or only know the zone of the process. Others
// add what JavaScript lacks (moment, methods of Java's texts) or remove what expressions do not
// need. A guard is put in place when code names the part, before the code runs. Code cannot reach
// parts that it does not name. So an environment for a small expression costs almost nothing.

// guard puts the guard for a name in place, unless it is there already or there is none.
func (env *environment) guard(name string) {
	place := guardFor(name)
	if place == nil || env.guards[name] {
		return
	}
	env.guards[name] = true
	place(env)
}

// once puts a guard for several names in place.
func (env *environment) once(name string, place func(*environment)) {
	key := name + "()" // code cannot have this name
	if !env.guards[key] {
		env.guards[key] = true
		place(env)
	}
}

// prepare puts the guards for a program in place.
func (env *environment) prepare(p *program) error {
	for _, name := range p.guards {
		if env.guards[name] {
			continue
		}
		if err := env.try(func() { env.guard(name) }); err != nil {
			return err
		}
	}
	return nil
}

// guardFor returns the function that puts the guard for a name in place, or nil.
func guardFor(name string) func(*environment) {
	if guard := textGuardFor(name); guard != nil {
		return guard
	}
	if guard := javaMethod(name); guard != nil {
		return guard
	}
	if guard := globalGuardFor(name); guard != nil {
		return guard
	}
	return listGuardFor(name)
}

// globalGuardFor returns the guard for a global or for a property of functions, or nil.
func globalGuardFor(name string) func(*environment) {
	switch name {
	case "Date":
		return (*environment).guardDate
	case "moment": // language T22
		return (*environment).guardMoment
	case "java", "Java": // language T20
		return (*environment).guardJava
	case "print": // language T25
		return func(env *environment) { env.global("print", env.native("print", 0, nothing)) }
	case "JSON":
		return (*environment).guardJSON
	case "eval":
		return (*environment).guardEval
	case "Function", "constructor":
		return func(env *environment) { env.once("Function", (*environment).guardFunction) }
	case "bind":
		return (*environment).guardBind
	case "apply":
		return (*environment).guardApply
	case "Map", "Set", "WeakMap", "WeakSet":
		return collectionGuard(name)
	case "ArrayBuffer", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array",
		"Uint32Array", "Float32Array", "Float64Array":
		return bufferGuard(name)
	case "RegExp", "test":
		return func(env *environment) { env.once("RegExp", (*environment).guardRegExp) }
	case "exec":
		return (*environment).guardExec
	case "Symbol":
		return (*environment).guardSymbol
	case "getOwnPropertyDescriptor", "getOwnPropertyDescriptors": // give methods without their names
		return func(env *environment) { env.once("all", (*environment).guardAll) }
	case "BigInt", "BigInt64Array", "BigUint64Array", "GoError", "Promise", "Proxy", "Reflect":
		return without(name)
	case "DataView":
		return (*environment).guardDataView
	case "raw":
		return func(env *environment) { env.remove(env.stringPrototype().Get("constructor"), name) }
	}
	return nil
}

// textGuardFor returns the guard for a method of texts, or nil.
func textGuardFor(name string) func(*environment) {
	switch name {
	case "repeat":
		return textGuard(name, 1, checkRepeat)
	case "padStart", "padEnd":
		return textGuard(name, 1, checkPad)
	case "split":
		return textGuard(name, 2, checkSplit)
	case "match", "matchAll", "search":
		return searchGuard(name)
	case "replace":
		return (*environment).guardReplace
	}
	return nil
}

// listGuardFor returns the guard for a method of lists, or nil. concat is also a method of texts.
func listGuardFor(name string) func(*environment) {
	switch name {
	case "concat":
		return func(env *environment) {
			listGuard(name)(env)
			textGuard(name, 1, checkConcat)(env)
		}
	case "join", "toLocaleString":
		return func(env *environment) { env.once("join", (*environment).guardJoin) }
	case "flat", "flatMap":
		return func(env *environment) { env.once("flat", (*environment).guardFlat) }
	case "from":
		return (*environment).guardFrom
	case "assign", "fromEntries":
		return func(env *environment) { env.once("Object", (*environment).guardObject) }
	case "entries", "values":
		return func(env *environment) {
			env.once("Object", (*environment).guardObject)
			listGuard(name)(env)
		}
	case "copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "includes",
		"indexOf", "keys", "lastIndexOf", "map", "push", "reduce", "reduceRight", "reverse", "shift", "slice", "some", "sort", "splice",
		"toReversed", "toSorted", "toSpliced", "unshift", "with":
		return listGuard(name)
	}
	return nil
}
func nothing(goja.FunctionCall) goja.Value { return goja.Undefined() }

// global defines a global variable.
func (env *environment) global(name string, v goja.Value) {
	define(env.rt.GlobalObject(), name, v, goja.FLAG_FALSE)
}
