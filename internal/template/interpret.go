package template

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dop251/goja"
)

// interpret evaluates a text with the interpreter. As in Digdag, whose template function makes one
// function of the whole text, an error of syntax comes before all other errors, and what an
// expression assigns is seen by those after it (language T23).
func (e *Evaluator) interpret(ctx context.Context, text string, sc scope, zone *time.Location) (result string, err error) {
	pieces, programs, err := e.compileText(text, sc)
	if err != nil {
		return "", err
	}
	env := newEnvironment(e, sc, zone)
	defer env.watch(ctx)()
	defer func() {
		if r := recover(); r != nil { // a fault of the interpreter must not end the process
			result, err = "", env.fault(text, r)
		}
	}()
	var buf []byte
	for i, p := range pieces {
		switch {
		case !p.code:
			buf = append(buf, p.text...)
		case programs[i] == nil:
			value, _ := resolve(p.text, sc)
			buf = appendText(buf, value)
		default:
			value, err := env.run(programs[i])
			if err != nil {
				return "", env.describe(text, programs[i], err)
			}
			buf = append(buf, value...)
		}
		if len(buf) > e.options.MaxResultBytes {
			return "", e.tooLarge(text)
		}
	}
	return string(buf), nil
}

// compileText cuts a text into pieces and compiles its code. Plain references before the first other
// expression get no program, if they can be resolved without.
func (e *Evaluator) compileText(text string, sc scope) ([]piece, []*program, error) {
	var pieces []piece
	var programs []*program
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
			return nil, nil, failure(text, compiled.err.Error(), nil)
		}
		pieces = append(pieces, p)
		programs = append(programs, compiled)
	}
	return pieces, programs, nil
}

func resolvable(code string, sc scope) bool {
	if !isPlain(code) {
		return false
	}
	_, answer := resolve(code, sc)
	return answer == found || answer == undefined
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

// text is the text of a result.
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

// try calls a function that may throw, outside of running code.
func (env *environment) try(f func()) error {
	err := error(nil)
	wrapped := env.rt.ToValue(func(goja.FunctionCall) goja.Value {
		f()
		return goja.Undefined()
	})
	if call, ok := goja.AssertFunction(wrapped); ok {
		_, err = call(goja.Undefined())
	}
	return err
}

// describe turns an error of the interpreter into the one that the caller gets.
func (env *environment) describe(text string, p *program, err error) error {
	if cause := env.cause(); cause != nil {
		switch {
		case errors.Is(cause, ErrTimeout):
			return failure(text, fmt.Sprintf("TimeoutError: the evaluation took longer than %v", env.evaluator.options.TimeLimit), ErrTimeout)
		case errors.Is(cause, ErrMemory):
			return failure(text, "MemoryError: the expression takes too much memory", ErrMemory)
		default:
			return fmt.Errorf("evaluate a template: %w", cause)
		}
	}
	if _, ok := errors.AsType[*goja.StackOverflowError](err); ok {
		return failure(text, "RangeError: Maximum call stack size exceeded", nil)
	}
	exception, ok := errors.AsType[*goja.Exception](err)
	if !ok {
		return failure(text, err.Error(), nil)
	}
	limit := error(nil)
	if env.tooLarge != nil && exception.Value() == goja.Value(env.tooLarge) {
		limit = ErrSize
	}
	return failure(text, env.reason(p, exception), limit)
}

// fault is the error for a panic of the interpreter.
func (env *environment) fault(text string, r any) error {
	if cause := env.cause(); cause != nil {
		return env.describe(text, nil, cause)
	}
	return failure(text, fmt.Sprintf("InternalError: %v", r), nil)
}
