package template

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
)

const (
	// maxCalls is the largest depth of calls.
	maxCalls = 2000
	// maxItems is the largest length of a list for native functions, which cannot be
	// interrupted.
	maxItems = 1 << 20
	// maxSearched is the largest length, in UTF-16 units, of a text to search with a regular
	// expression. Each match takes a few hundred bytes.
	maxSearched = 1 << 19
)

// environment is a fresh JavaScript world for one text (language T23).
type environment struct {
	rt        *goja.Runtime
	evaluator *Evaluator
	zone      *time.Location
	scope     scope
	this      *goja.Object // the parameters
	budget    budget
	guards    map[string]bool // names whose guards are in place
	stopped   atomic.Pointer[error]
	tooLarge  *goja.Object  // the exception for the last thing that was too large
	called    time.Duration // time in functions that searches call
	dates     dateMethods
	hasMoment bool // moment is loaded
	uses      int  // how many texts were evaluated here
}

func newEnvironment(e *Evaluator, sc scope, zone *time.Location) *environment {
	env := &environment{rt: goja.New(), evaluator: e, guards: map[string]bool{}}
	env.rt.SetMaxCallStackSize(maxCalls)
	env.enter(sc, zone)
	return env
}

// watch ends the evaluation when its time is over or ctx ends. Calling stop ends the watch and
// reports whether neither has happened.
func (env *environment) watch(ctx context.Context) (stop func() bool) {
	timer := time.AfterFunc(env.evaluator.options.TimeLimit, func() { env.interrupt(ErrTimeout) })
	canceled := context.AfterFunc(ctx, func() { env.interrupt(context.Cause(ctx)) })
	return func() bool {
		inTime := timer.Stop()
		return canceled() && inTime
	}
}

// interrupt ends running code. Only the first cause is kept. It may be called from any goroutine.
func (env *environment) interrupt(cause error) {
	env.stopped.CompareAndSwap(nil, &cause)
	env.rt.Interrupt(cause)
}

// cause returns why the evaluation was interrupted, or nil.
func (env *environment) cause() error {
	if cause := env.stopped.Load(); cause != nil {
		return *cause
	}
	return nil
}

// abort ends the evaluation from within a native function. JavaScript code cannot catch this.
func (env *environment) abort(cause error) {
	env.interrupt(cause)
	throw(&goja.InterruptedError{})
}

// check ends the evaluation if it was interrupted. Native functions that take long call it.
func (env *environment) check() {
	if cause := env.cause(); cause != nil {
		env.abort(cause)
	}
}

// charge announces about how many bytes will be made.
func (env *environment) charge(bytes int) {
	if env.budget.exceeded(bytes) {
		env.abort(ErrMemory)
	}
	env.check()
}

// throwType throws a TypeError.
func (env *environment) throwType(format string, args ...any) {
	throw(env.rt.NewTypeError(fmt.Sprintf(format, args...)))
}

// Messages of exceptions that several guards throw.
const (
	tooDeep         = "Maximum call stack size exceeded"
	slowRegexp      = "a regular expression took longer than %v"
	calledOnNothing = "String.prototype.%s called on null or undefined"
)

// throwRange throws a RangeError.
func (env *environment) throwRange(format string, args ...any) {
	throw(env.rangeError(fmt.Sprintf(format, args...)))
}

func (env *environment) rangeError(message string) *goja.Object {
	return env.newError("RangeError", message)
}

// newError returns an error of one of the language's types.
func (env *environment) newError(name, message string) *goja.Object {
	object, err := env.rt.New(env.rt.Get(name), env.rt.ToValue(message))
	if err != nil {
		return env.rt.NewTypeError(message) // code has replaced that type
	}
	return object
}

// throwTooLarge throws the RangeError about a text or list beyond the limits.
func (env *environment) throwTooLarge(what string, limit int) {
	env.tooLarge = env.rangeError(fmt.Sprintf("Invalid %s: more than %d", what, limit))
	throw(env.tooLarge)
}

// textLength throws if a text would be too long, and returns n.
func (env *environment) textLength(n int) int {
	if limit := env.evaluator.options.MaxResultBytes; n > limit || n < 0 {
		env.throwTooLarge("string length", limit)
	}
	return n
}

// itemCount throws if a list is too long for native functions, and returns n.
func (env *environment) itemCount(n int64) int64 {
	if n > maxItems {
		env.throwTooLarge("array length", maxItems)
	}
	return n
}

// searched throws if a text is too long for a regular expression.
func (env *environment) searched(n int) {
	if n > maxSearched {
		env.throwTooLarge("string length for a regular expression", maxSearched)
	}
}

// native returns a JavaScript function that calls f.
func (env *environment) native(name string, parameters int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	function := env.rt.ToValue(f).(*goja.Object) // functions are objects
	describe := func(property string, value any) {
		err := function.DefineDataProperty(property, env.rt.ToValue(value), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		if err != nil {
			throw(err)
		}
	}
	describe("name", name) // instead of the name in Go
	describe("length", parameters)
	return function
}

// method adds a method to an object.
func (env *environment) method(object *goja.Object, name string, parameters int, f func(goja.FunctionCall) goja.Value) {
	define(object, name, env.native(name, parameters, f), goja.FLAG_FALSE)
}

// original returns the function that an object has under a name.
func original(object *goja.Object, name string) goja.Callable {
	f, ok := goja.AssertFunction(object.Get(name))
	if !ok {
		return func(goja.Value, ...goja.Value) (goja.Value, error) { return goja.Undefined(), nil }
	}
	return f
}

// The prototypes, reached without names that code could change.
func (env *environment) stringPrototype() *goja.Object {
	return env.rt.ToValue("").ToObject(env.rt).Prototype()
}

func (env *environment) listPrototype() *goja.Object { return env.rt.NewArray().Prototype() }

func (env *environment) functionPrototype() *goja.Object {
	return env.native("", 0, func(goja.FunctionCall) goja.Value { return nil }).Prototype()
}
