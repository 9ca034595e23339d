package template

import (
	"strconv"

	"github.com/dop251/goja"
)

// A native function of Go cannot both know how it was called and be a constructor that works in
// plain calls and for subclasses. So replaced constructors are small JavaScript functions around one.
const shellSource = `(function (construct) { return function () { return construct(new.target, arguments) } })`

func compileShell() (*goja.Program, error) { return goja.Compile("", shellSource, true) }

// constructor makes a constructor for objects of a prototype. construct gets nil for new.target in a
// plain call.
func (env *environment) constructor(name string, parameters int, prototype *goja.Object, construct func(newTarget *goja.Object, args []goja.Value) goja.Value) *goja.Object {
	p, err := env.evaluator.shell()
	if err != nil {
		throw(err)
	}
	shell, err := env.rt.RunProgram(p)
	if err != nil {
		throw(err)
	}
	native := env.native(name, parameters, func(c goja.FunctionCall) goja.Value {
		newTarget, _ := c.Argument(0).(*goja.Object)
		list := c.Argument(1).ToObject(env.rt)
		args := make([]goja.Value, length(list))
		for i := range args {
			args[i] = item(list, int64(i))
		}
		return construct(newTarget, args)
	})
	wrap, _ := goja.AssertFunction(shell)
	function := callJS(wrap, goja.Undefined(), native).ToObject(env.rt)
	fixed := func(property string, v any, configurable goja.Flag) {
		err := function.DefineDataProperty(property, env.rt.ToValue(v), goja.FLAG_FALSE, configurable, goja.FLAG_FALSE)
		if err != nil {
			throw(err)
		}
	}
	fixed("name", name, goja.FLAG_TRUE)
	fixed("length", parameters, goja.FLAG_TRUE)
	fixed("prototype", prototype, goja.FLAG_FALSE)
	define(prototype, "constructor", function, goja.FLAG_FALSE)
	return function
}

// item returns an item of a list, or undefined if there is none.
func item(list *goja.Object, i int64) goja.Value {
	v := list.Get(strconv.FormatInt(i, 10))
	if v == nil {
		return goja.Undefined()
	}
	return v
}
