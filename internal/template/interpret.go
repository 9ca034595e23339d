package template

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dop251/goja"
)

// part is a piece of a text with its program. Literal text has none, and neither have plain references that
// can be resolved without one.
type part struct {
	piece
	program *program
}

// interpretation is the evaluation of one text with the interpreter.
type interpretation struct {
	evaluator *Evaluator
	ctx       context.Context //nolint:containedctx // lives as long as one call
	text      string
	scope     scope
	zone      *time.Location
	env       *environment // made when the first program runs
	stop      func() bool
	pure      bool // all programs are
	changed   bool // a program that is not pure has run
}

// interpret evaluates a text with the interpreter. Digdag's template function makes one
// function of the whole text. So a syntax error comes before all other errors, and an
// expression sees the assignments of those before it (language T23).
func (e *Evaluator) interpret(ctx context.Context, text string, sc scope, zone *time.Location) (result string, err error) {
	parts, err := e.compileText(text, sc)
	if err != nil {
		return "", err
	}
	i := &interpretation{evaluator: e, ctx: ctx, text: text, scope: sc, zone: zone}
	i.pure = !slices.ContainsFunc(parts, func(p part) bool { return p.program != nil && !i.isPure(p.program) })
	defer func() {
		if r := recover(); r != nil { // an error of the interpreter must not end the process
			i.end(false)
			result, err = "", i.fault(r)
		}
	}()
	result, err = i.run(parts)
	i.end(err == nil)
	return result, err
}

func (i *interpretation) isPure(p *program) bool { return p.purity.pure && p.purity.within(i.scope) }

func (i *interpretation) run(parts []part) (string, error) {
	var buf []byte
	for _, p := range parts {
		switch {
		case !p.code:
			buf = append(buf, p.text...)
		case p.program == nil:
			value, _ := resolve(p.text, i.scope)
			buf = appendText(buf, value)
		default:
			value, err := i.expression(p.program)
			if err != nil {
				return "", i.describe(p.program, err)
			}
			buf = append(buf, value...)
		}
		if len(buf) > i.evaluator.options.MaxResultBytes {
			return "", i.evaluator.tooLarge(i.text)
		}
	}
	return string(buf), nil
}

// compileText cuts a text into parts. Only plain references before the first other expression are
// resolved without a program, as that expression may change what later ones refer to.
func (e *Evaluator) compileText(text string, sc scope) ([]part, error) {
	var parts []part
	plain := true
	s := newScanner(text, !e.options.PlainSyntax)
	for p, more := s.next(); more; p, more = s.next() {
		var compiled *program
		if p.code {
			if plain = plain && resolvable(p.text, sc); !plain {
				compiled = e.program(p.text)
			}
		}
		if compiled != nil && compiled.err != nil {
			return nil, failure(text, compiled.err.Error(), nil)
		}
		parts = append(parts, part{p, compiled})
	}
	return parts, nil
}

func resolvable(code string, sc scope) bool {
	if !isPlain(code) {
		return false
	}
	_, answer := resolve(code, sc)
	return answer == found || answer == undefined
}

// expression evaluates one expression to its text, or returns the text from the cache.
func (i *interpretation) expression(p *program) (string, error) {
	if i.changed {
		return i.environment(p).run(p)
	}
	key, keep := p.resultKey(i.scope, i.zone)
	if keep {
		if result, ok := i.evaluator.results.get(key); ok {
			return result, nil
		}
	}
	i.changed = !i.isPure(p)
	result, err := i.environment(p).run(p)
	if err == nil && keep && len(result) <= maxKept {
		i.evaluator.results.add(key, result)
	}
	return result, err
}

// environment returns the environment of the text. It may be a used one, unless something will be changed in it.
func (i *interpretation) environment(p *program) *environment {
	if i.env != nil {
		return i.env
	}
	if i.pure && p.purity.moment {
		i.env = i.evaluator.spare.take(i.scope, i.zone)
	}
	if i.env == nil {
		i.env = newEnvironment(i.evaluator, i.scope, i.zone)
	}
	i.stop = i.env.watch(i.ctx)
	return i.env
}

// end stops the watch. It keeps the environment if that is worthwhile.
func (i *interpretation) end(success bool) {
	if i.env == nil {
		return
	}
	undisturbed := i.stop()
	if success && undisturbed && i.pure && i.env.hasMoment {
		i.evaluator.spare.give(i.env)
	}
	i.stop = func() bool { return false }
}

// run evaluates one expression to its text (language T17).
func (env *environment) run(p *program) (string, error) {
	if err := env.prepare(p); err != nil {
		return "", err
	}
	function, err := env.rt.RunProgram(p.code)
	if err != nil {
		return "", err
	}
	evaluate, ok := goja.AssertFunction(function)
	if !ok {
		return "", fmt.Errorf("compiled code is no function but %v", function)
	}
	value, err := evaluate(env.this)
	if err != nil {
		return "", err
	}
	return env.text(value)
}

// text returns the text of a result.
func (env *environment) text(value goja.Value) (text string, err error) {
	if value == nil || goja.IsUndefined(value) || goja.IsNull(value) {
		return "", nil
	}
	if s, ok := value.(goja.String); ok {
		return s.String(), nil
	}
	err = env.try(func() {
		json, ok := env.stringify(value, nil, "")
		if !ok {
			json = "undefined"
		}
		text = json
	})
	return text, err
}

// try calls a function that may throw, while no code is running.
func (env *environment) try(f func()) error {
	wrapped := env.rt.ToValue(func(goja.FunctionCall) goja.Value {
		f()
		return goja.Undefined()
	})
	call, _ := goja.AssertFunction(wrapped)
	_, err := call(goja.Undefined())
	return err
}

// describe turns an error of the interpreter into the one for the caller.
func (i *interpretation) describe(p *program, err error) error {
	if cause := i.env.cause(); cause != nil {
		return i.describeEnd(cause)
	}
	if _, ok := errors.AsType[*goja.StackOverflowError](err); ok {
		return failure(i.text, "RangeError: Maximum call stack size exceeded", nil)
	}
	exception, ok := errors.AsType[*goja.Exception](err)
	if !ok {
		return failure(i.text, err.Error(), nil)
	}
	reason := i.env.reason(p, exception)
	if cause := i.env.cause(); cause != nil { // the evaluation was ended while the exception was made into a text
		return i.describeEnd(cause)
	}
	limit := error(nil)
	if i.env.tooLarge != nil && exception.Value() == goja.Value(i.env.tooLarge) {
		limit = ErrSize
	}
	return failure(i.text, reason, limit)
}

// describeEnd returns the error about an evaluation that was interrupted.
func (i *interpretation) describeEnd(cause error) error {
	switch {
	case errors.Is(cause, ErrTimeout):
		return failure(i.text, fmt.Sprintf("TimeoutError: the evaluation took longer than %v", i.evaluator.options.TimeLimit), ErrTimeout)
	case errors.Is(cause, ErrMemory):
		return failure(i.text, "MemoryError: the expression takes too much memory", ErrMemory)
	default:
		return fmt.Errorf("evaluate a template: %w", cause)
	}
}

// fault returns the error about a panic of the interpreter.
func (i *interpretation) fault(r any) error {
	if i.env != nil {
		if cause := i.env.cause(); cause != nil {
			return i.describeEnd(cause)
		}
	}
	return failure(i.text, fmt.Sprintf("InternalError: %v", r), nil)
}
