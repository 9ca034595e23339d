package template

import (
	_ "embed" // for the library below
	"fmt"

	"github.com/dop251/goja"
)

// momentSource is Moment.js 2.21.0 with only its default locale (language T22), as its authors built
// it. moment/update.sh downloads it.
//
//go:embed moment/moment.min.js
var momentSource string

func compileMoment() (*goja.Program, error) {
	parsed, err := parse(momentSource)
	if err != nil {
		return nil, fmt.Errorf("parse moment: %w", err)
	}
	p, err := goja.CompileAST(parsed, false)
	if err != nil {
		return nil, fmt.Errorf("compile moment: %w", err)
	}
	return p, nil
}

// guardMoment defines the global moment, which is loaded at its first use. That takes about a
// millisecond, and much longer the first time in a process.
func (env *environment) guardMoment() {
	global := env.rt.GlobalObject()
	replace := func(v goja.Value) {
		define(global, "moment", v, goja.FLAG_TRUE)
	}
	get := env.native("get moment", 0, func(goja.FunctionCall) goja.Value {
		replace(goja.Undefined())
		env.loadMoment()
		return global.Get("moment")
	})
	set := env.native("set moment", 1, func(c goja.FunctionCall) goja.Value {
		replace(c.Argument(0))
		return goja.Undefined()
	})
	if err := global.DefineAccessorProperty("moment", get, set, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		throw(err)
	}
}

func (env *environment) loadMoment() {
	env.guard("Date")
	p, err := env.evaluator.moment()
	if err != nil {
		env.throwType("%v", err)
	}
	if _, err := env.rt.RunProgram(p); err != nil {
		throw(err)
	}
	env.hasMoment = true
}
