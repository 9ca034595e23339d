package template

import (
	_ "embed" // for the library below
	"fmt"

	"github.com/dop251/goja"
)

// momentSource is Moment.js 2.21.0 with its default locale only (language T22), as its authors built
// it; moment/update.sh fetches it.
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

// loadMoment defines the global moment. It takes about a millisecond, and much longer the first time.
func (env *environment) loadMoment() {
	env.guard("Date")
	p, err := env.evaluator.moment()
	if err != nil {
		env.throwType("%v", err)
	}
	if _, err := env.rt.RunProgram(p); err != nil {
		throw(err)
	}
}
