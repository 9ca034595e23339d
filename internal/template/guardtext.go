package template

import (
	"strings"
	"time"

	"github.com/dop251/goja"
)

// textGuard replaces a method of texts. check gets the text and the arguments before the method runs.
func textGuard(name string, parameters int, check func(env *environment, text goja.String, c goja.FunctionCall)) func(*environment) {
	return func(env *environment) {
		prototype := env.stringPrototype()
		own := original(prototype, name)
		env.method(prototype, name, parameters, func(c goja.FunctionCall) goja.Value {
			if goja.IsUndefined(c.This) || goja.IsNull(c.This) {
				env.throwType(calledOnNothing, name)
			}
			text := env.toText(c.This)
			check(env, text, c)
			if isPattern(c.Argument(0)) {
				return env.timed(func() goja.Value { return callJS(own, text, c.Arguments...) })
			}
			return callJS(own, text, c.Arguments...)
		})
	}
}

// checkRepeat limits repeat.
func checkRepeat(env *environment, text goja.String, c goja.FunctionCall) {
	env.times(text.Length(), c.Argument(0).ToInteger())
}

// times throws if n repetitions of a text are too long, and announces them otherwise.
func (env *environment) times(length int, n int64) {
	limit := int64(env.evaluator.options.MaxResultBytes)
	if length > 0 && n > limit/int64(length) {
		n, length = limit+1, 1
	}
	env.charge(env.textLength(length * int(max(0, n))))
}

// checkPad limits padStart and padEnd.
func checkPad(env *environment, _ goja.String, c goja.FunctionCall) {
	env.times(1, c.Argument(0).ToInteger())
}

// checkConcat limits concat.
func checkConcat(env *environment, text goja.String, c goja.FunctionCall) {
	total := text.Length()
	for i, arg := range c.Arguments {
		text := env.toText(arg)
		c.Arguments[i] = text
		total = env.textLength(total + text.Length())
	}
	env.charge(total)
}

// checkSplit limits the number of pieces.
func checkSplit(env *environment, text goja.String, c goja.FunctionCall) {
	const cost = 48
	separator := c.Argument(0)
	switch {
	case isPattern(separator):
		env.searched(text.Length())
	case separator != nil && !goja.IsUndefined(separator):
		by := env.toText(separator)
		if text.Length() > maxItems {
			env.itemCount(int64(strings.Count(text.String(), by.String())))
		}
	}
	env.charge(cost * text.Length())
}

func isPattern(v goja.Value) bool {
	object, ok := v.(*goja.Object)
	return ok && object.ClassName() == "RegExp"
}

// searchGuard replaces a method of texts that searches with a regular expression.
func searchGuard(name string) func(*environment) {
	return func(env *environment) {
		prototype := env.stringPrototype()
		own := original(prototype, name)
		env.method(prototype, name, 1, func(c goja.FunctionCall) goja.Value {
			if goja.IsUndefined(c.This) || goja.IsNull(c.This) {
				env.throwType(calledOnNothing, name)
			}
			text := env.toText(c.This)
			env.searched(text.Length())
			if name == "matchAll" { // each match is a list
				env.searched(text.Length() * pairCost)
			}
			if pattern := c.Argument(0); !isPattern(pattern) && !goja.IsUndefined(pattern) {
				source := env.toText(pattern) // becomes one
				env.checkPattern(source.String())
				c.Arguments[0] = source
			}
			return env.timed(func() goja.Value { return callJS(own, text, c.Arguments...) })
		})
	}
}

// timed runs a search. A search that reaches its time limit returns as if there were no match, so timed checks
// the time. It does not count the time of functions that the search calls.
func (env *environment) timed(search func() goja.Value) goja.Value {
	start, called := time.Now(), env.called
	result := search()
	if time.Since(start)-(env.called-called) >= regexpLimit {
		env.check()
		env.throwRange(slowRegexp, regexpLimit)
	}
	return result
}

// guardReplace replaces replace, whose result may be as long as the text times the replacement. The
// replacements in a long text are counted as they are made.
func (env *environment) guardReplace() {
	prototype := env.stringPrototype()
	own := original(prototype, "replace")
	env.method(prototype, "replace", 2, func(c goja.FunctionCall) goja.Value {
		if goja.IsUndefined(c.This) || goja.IsNull(c.This) {
			env.throwType("String.prototype.replace called on null or undefined")
		}
		text := env.toText(c.This)
		if !isPattern(c.Argument(0)) {
			return env.replaceFirst(own, text, c)
		}
		env.searched(text.Length())
		with, function := goja.AssertFunction(c.Argument(1))
		if !function {
			replacement := env.toText(c.Argument(1))
			if env.surelySmall(text, replacement) {
				return env.timed(func() goja.Value { return callJS(own, text, c.Arguments[0], replacement) })
			}
			with = env.expansion(text, replacement)
		}
		return env.timed(func() goja.Value { return callJS(own, text, c.Arguments[0], env.counted(text, with)) })
	})
}

// counted returns a function that makes replacements and checks the length of the result.
func (env *environment) counted(text goja.String, with goja.Callable) goja.Value {
	total := text.Length()
	return env.native("", 0, func(m goja.FunctionCall) goja.Value {
		start, called := time.Now(), env.called
		result := env.toText(callJS(with, goja.Undefined(), m.Arguments...))
		env.called = called + time.Since(start)
		total = env.textLength(total + result.Length())
		env.charge(result.Length())
		return result
	})
}

// surelySmall reports whether the result cannot be too long, whatever the number of matches.
func (env *environment) surelySmall(text, replacement goja.String) bool {
	n, m := int64(text.Length()+1), int64(replacement.Length())
	if strings.Contains(replacement.String(), "$") {
		m *= n
	}
	return n*m+n <= int64(env.evaluator.options.MaxResultBytes)/8
}

// expansion returns a function that fills in a replacement text, $1 and the like, for a match.
func (env *environment) expansion(text, replacement goja.String) goja.Callable {
	pattern := replacement.String()
	return func(_ goja.Value, args ...goja.Value) (goja.Value, error) {
		n := len(args)
		var names *goja.Object
		if object, ok := args[n-1].(*goja.Object); ok {
			names, n = object, n-1
		}
		m := matched{
			text: text, match: env.toText(args[0]), groups: args[1 : n-2], names: names, at: int(args[n-2].ToInteger()),
		}
		return env.rt.ToValue(m.expand(pattern)), nil
	}
}

// matched is one match of a regular expression of JavaScript.
type matched struct {
	text, match goja.String
	groups      []goja.Value
	names       *goja.Object // named groups, or nil
	at          int
}

// expand fills in $$, $&, $`, $', $1 to $99 and $<name> (ECMA-262, GetSubstitution).
func (m matched) expand(pattern string) string {
	var out strings.Builder
	for {
		literal, rest, found := strings.Cut(pattern, "$")
		out.WriteString(literal)
		if !found {
			return out.String()
		}
		piece, used := m.reference(rest)
		out.WriteString(piece)
		pattern = rest[used:]
	}
}

// reference returns the text for what comes after a dollar, and how many bytes it uses of it.
func (m matched) reference(rest string) (piece string, used int) {
	if rest == "" {
		return "$", 0
	}
	switch c := rest[0]; {
	case c == '$':
		return "$", 1
	case c == '&':
		return m.match.String(), 1
	case c == '`':
		return m.text.Substring(0, m.at).String(), 1
	case c == '\'':
		return m.text.Substring(m.at+m.match.Length(), m.text.Length()).String(), 1
	case c >= '0' && c <= '9':
		return m.numbered(rest)
	case c == '<' && m.names != nil:
		name, _, closed := strings.Cut(rest[1:], ">")
		if !closed {
			return "$", 0
		}
		return optionalText(m.names.Get(name)), len(name) + 2
	}
	return "$", 0
}

func (m matched) numbered(rest string) (piece string, used int) {
	if len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9' {
		if n := int(rest[0]-'0')*10 + int(rest[1]-'0'); n >= 1 && n <= len(m.groups) {
			return optionalText(m.groups[n-1]), 2
		}
	}
	if n := int(rest[0] - '0'); n >= 1 && n <= len(m.groups) {
		return optionalText(m.groups[n-1]), 1
	}
	return "$", 0
}

func optionalText(v goja.Value) string {
	if v == nil || goja.IsUndefined(v) {
		return ""
	}
	return v.ToString().String()
}

// replaceFirst implements replace with a text to search for. It replaces at most one match.
func (env *environment) replaceFirst(own goja.Callable, text goja.String, c goja.FunctionCall) goja.Value {
	searched, with := c.Argument(0), c.Argument(1)
	if object, ok := searched.(*goja.Object); ok {
		searched = env.toText(object) // not its Symbol.replace, which is for regular expressions only
	}
	if _, ok := goja.AssertFunction(with); ok {
		result := callJS(own, text, searched, with)
		env.textLength(env.toText(result).Length())
		return result
	}
	replacement := env.toText(with)
	most := int64(text.Length()) + int64(replacement.Length())
	for _, copied := range []string{"$&", "$`", "$'"} {
		most += int64(strings.Count(replacement.String(), copied)) * int64(text.Length())
	}
	if most > int64(env.evaluator.options.MaxResultBytes) {
		env.throwTooLarge("string length", env.evaluator.options.MaxResultBytes)
	}
	env.charge(int(most))
	return callJS(own, text, searched, replacement)
}

// guardRegExp limits regular expressions, and the texts that they are applied to.
func (env *environment) guardRegExp() {
	own, ok := env.rt.Get("RegExp").(*goja.Object)
	if !ok {
		return
	}
	prototype, ok := own.Get("prototype").(*goja.Object)
	if !ok {
		return
	}
	call, _ := goja.AssertFunction(own)
	create, _ := goja.AssertConstructor(own)
	constructor := env.constructor("RegExp", 2, prototype, func(newTarget *goja.Object, args []goja.Value) goja.Value {
		if len(args) > 0 && !isPattern(args[0]) && !goja.IsUndefined(args[0]) {
			pattern := env.toText(args[0])
			env.checkPattern(pattern.String())
			args[0] = pattern
		}
		if newTarget == nil {
			return callJS(call, goja.Undefined(), args...)
		}
		object, err := create(newTarget, args...)
		if err != nil {
			throw(err)
		}
		return object
	})
	env.global("RegExp", constructor)
	test := original(prototype, "test")
	env.method(prototype, "test", 1, func(c goja.FunctionCall) goja.Value {
		text := env.toText(c.Argument(0))
		env.searched(text.Length())
		return env.timed(func() goja.Value { return callJS(test, c.This, text) })
	})
}

// guardExec replaces exec of regular expressions. After that all searches call it.
func (env *environment) guardExec() {
	env.guard("RegExp")
	pattern, ok := env.rt.Get("RegExp").(*goja.Object)
	if !ok {
		return
	}
	prototype, ok := pattern.Get("prototype").(*goja.Object)
	if !ok {
		return
	}
	exec := original(prototype, "exec")
	env.method(prototype, "exec", 1, func(c goja.FunctionCall) goja.Value {
		text := env.toText(c.Argument(0))
		env.searched(text.Length())
		return env.timed(func() goja.Value { return callJS(exec, c.This, text) })
	})
}

// checkPattern throws for patterns that would take the compiler too deep.
func (env *environment) checkPattern(pattern string) {
	env.charge(costCode * len(pattern))
	if len(pattern) > maxCode || strings.Count(pattern, "(") > 4*maxPatternNesting {
		throw(env.newError("SyntaxError", "Invalid regular expression: too large"))
	}
}
