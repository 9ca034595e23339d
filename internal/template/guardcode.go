package template

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// guardEval replaces eval. The code is rewritten like that of an expression. It sees parameters and
// globals, but not the variables of a function around it.
func (env *environment) guardEval() {
	env.global("eval", env.native("eval", 1, func(c goja.FunctionCall) goja.Value {
		source, ok := c.Argument(0).(goja.String)
		if !ok {
			return c.Argument(0)
		}
		return env.runCode(source.String(), withVariables)
	}))
}

// withVariables moves the code of eval to where it sees the parameters.
func withVariables(parsed *ast.Program) bool {
	at := file.Idx(1)
	parsed.Body = []ast.Statement{&ast.WithStatement{
		With: at, Object: &ast.Identifier{Name: variablesName, Idx: at},
		Body: &ast.BlockStatement{LeftBrace: at, RightBrace: at, List: parsed.Body},
	}}
	return true
}

// variablesName is the name of a global with the object of the parameters. It cannot be written in code.
const variablesName = "\x00variables"

// helpersName is the name of another such global, with the helpers alone.
const helpersName = "\x00helpers"

// guardFunction replaces the constructor Function, which makes functions from texts. They only see
// globals. The constructor of generators is removed.
func (env *environment) guardFunction() {
	prototype := env.functionPrototype()
	env.global("Function", env.constructor("Function", 1, prototype, func(_ *goja.Object, args []goja.Value) goja.Value {
		return env.newFunction(args)
	}))
	generator, err := env.rt.RunString("Object.getPrototypeOf(function*() {})")
	if err != nil {
		throw(err)
	}
	define(generator.ToObject(env.rt), "constructor", env.native("GeneratorFunction", 1, func(goja.FunctionCall) goja.Value {
		env.throwType("GeneratorFunction is not available")
		return nil
	}), goja.FLAG_FALSE)
}

func (env *environment) newFunction(args []goja.Value) goja.Value {
	var parameters []string
	body := ""
	for i, arg := range args {
		if i == len(args)-1 {
			body = arg.ToString().String()
		} else {
			parameters = append(parameters, arg.ToString().String())
		}
	}
	source := "(function anonymous(" + strings.Join(parameters, ",") + "\n) {\n" + body + "\n})"
	return env.runCode(source, onlyFunction)
}

// onlyFunction checks that code is one function expression and moves it to where it sees the helpers.
func onlyFunction(parsed *ast.Program) bool {
	if len(parsed.Body) != 1 {
		return false
	}
	statement, ok := parsed.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return false
	}
	if _, ok := statement.Expression.(*ast.FunctionLiteral); !ok {
		return false
	}
	at := file.Idx(1)
	parsed.Body = []ast.Statement{&ast.WithStatement{
		With: at, Object: &ast.Identifier{Name: helpersName, Idx: at}, Body: statement,
	}}
	return true
}

// compileCode compiles code that an expression made. place moves the code to where it belongs, and returns false if
// it is not what it should be.
func compileCode(source string, place func(*ast.Program) bool) *program {
	parsed, err := parse(source)
	if err != nil {
		return &program{err: describeCode(err)}
	}
	r := &rewriter{file: parsed.File}
	r.stmts(parsed.Body)
	if !place(parsed) {
		return &program{err: &syntaxError{"not one function"}}
	}
	p := compileRewritten(parsed, r)
	if p.err != nil {
		p.err = describeCode(p.err)
	}
	return p
}

func describeCode(err error) error {
	_, message := problem(err)
	return &syntaxError{message}
}

// runCode compiles and runs code from within a native function.
func (env *environment) runCode(source string, place func(*ast.Program) bool) goja.Value {
	env.charge(costCode * len(source))
	p := compileCode(source, place)
	if p.err != nil {
		throw(env.newError("SyntaxError", strings.TrimPrefix(p.err.Error(), "SyntaxError: ")))
	}
	for _, name := range p.guards {
		env.guard(name)
	}
	env.hidden(variablesName, env.this)
	env.hidden(helpersName, env.rt.NewDynamicObject(newParameters(env, scope{})))
	result, err := env.rt.RunProgram(p.code)
	if err != nil {
		throw(err)
	}
	return result
}

// hidden defines a global that code cannot find or change.
func (env *environment) hidden(name string, v goja.Value) {
	global := env.rt.GlobalObject()
	if global.Get(name) != nil {
		return
	}
	if err := global.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE); err != nil {
		throw(err)
	}
}

// guardBind replaces bind. Functions that bind returns have ever longer names and call each other.
func (env *environment) guardBind() {
	const longestName = 400
	prototype := env.functionPrototype()
	bind := original(prototype, "bind")
	env.method(prototype, "bind", 1, func(c goja.FunctionCall) goja.Value {
		if object, ok := c.This.(*goja.Object); ok {
			if name := object.Get("name"); name != nil && env.toText(name).Length() > longestName {
				env.throwRange("a function is bound too often")
			}
		}
		return callJS(bind, c.This, c.Arguments...)
	})
}

// guardApply replaces apply, which accepts any object with a length.
func (env *environment) guardApply() {
	prototype := env.functionPrototype()
	apply := original(prototype, "apply")
	env.method(prototype, "apply", 2, func(c goja.FunctionCall) goja.Value {
		if object, ok := c.Argument(1).(*goja.Object); ok {
			env.charge(costItem * int(env.itemCount(length(object))))
		}
		return callJS(apply, c.This, c.Arguments...)
	})
}

// guardJSON replaces the two functions of JSON.
func (env *environment) guardJSON() {
	env.guardStringify()
	json, ok := env.rt.Get("JSON").(*goja.Object)
	if !ok {
		return
	}
	parse := original(json, "parse")
	env.method(json, "parse", 2, func(c goja.FunctionCall) goja.Value {
		text := env.toText(c.Argument(0))
		env.checkJSON(text.String())
		return callJS(parse, c.This, text, c.Argument(1))
	})
}

// checkJSON limits the depth of a JSON text and its number of values.
func (env *environment) checkJSON(text string) {
	depth, values := 0, int64(0)
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			depth++
			values++
		case ']', '}':
			depth--
		case ',':
			values++
		}
		if depth > maxNesting {
			env.throwRange(tooDeep)
		}
	}
	env.itemCount(values * 4) // each takes several hundred bytes
	env.charge(int(values)*costObject + len(text))
}

// without returns a guard that removes a global.
func without(name string) func(*environment) {
	return func(env *environment) { env.remove(env.rt.GlobalObject(), name) }
}

// remove removes a property from an object.
func (env *environment) remove(from goja.Value, name string) {
	if object, ok := from.(*goja.Object); ok {
		if err := object.Delete(name); err != nil {
			throw(err)
		}
	}
}

// guardDataView removes the methods that would make a BigInt.
func (env *environment) guardDataView() {
	if view, ok := env.rt.Get("DataView").(*goja.Object); ok {
		for _, name := range []string{"getBigInt64", "getBigUint64"} {
			env.remove(view.Get("prototype"), name)
		}
	}
}
