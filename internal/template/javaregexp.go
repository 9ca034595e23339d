package template

import (
	"errors"
	"strings"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
)

// javaSearch adds replaceAll, replaceFirst or matches, which take a regular expression of Java
// (language T20). A replaceAll with a RegExp or a function is JavaScript's.
func javaSearch(name string) func(*environment) {
	switch name {
	case "replaceAll":
		return (*environment).guardReplaceAll
	case "matches":
		return javaStringMethod(name, 1, func(env *environment, s string, c goja.FunctionCall) any {
			env.searched(len(s))
			found, err := env.javaPattern(c.Argument(0), true).MatchString(s)
			env.searchError(err)
			return found
		})
	default:
		return javaStringMethod(name, 2, func(env *environment, s string, c goja.FunctionCall) any {
			return env.javaReplace(env.javaPattern(c.Argument(0), false), s, c.Argument(1), false)
		})
	}
}

func (env *environment) guardReplaceAll() {
	prototype := env.stringPrototype()
	env.guard("replace")
	replace, own := original(prototype, "replace"), original(prototype, "replaceAll")
	env.method(prototype, "replaceAll", 2, func(c goja.FunctionCall) goja.Value {
		text := env.thisText(c)
		if pattern, ok := c.Argument(0).(*goja.Object); ok && isPattern(pattern) {
			if global := pattern.Get("global"); global == nil || !global.ToBoolean() {
				env.throwType("replaceAll must be called with a global RegExp")
			}
			return callJS(replace, c.This, c.Arguments...)
		}
		if with, ok := goja.AssertFunction(c.Argument(1)); ok {
			env.searched(len(text))
			return callJS(own, c.This, c.Arguments[0], env.counted(env.toText(c.This), with))
		}
		pattern := env.javaPattern(c.Argument(0), false)
		return env.rt.ToValue(env.javaReplace(pattern, text, c.Argument(1), true))
	})
}

// javaPattern compiles a regular expression of Java.
func (env *environment) javaPattern(v goja.Value, whole bool) *regexp2.Regexp {
	pattern := env.toText(v).String()
	translated, err := translatePattern(pattern)
	if err == nil {
		if whole {
			translated = `\A(?:` + translated + `)\z`
		}
		compiled, compileErr := regexp2.Compile(translated, regexp2.None)
		if compileErr == nil {
			compiled.MatchTimeout = regexpLimit
			return compiled
		}
		err = compileErr
	}
	throw(env.newError("SyntaxError", "Invalid regular expression: "+pattern+": "+err.Error()))
	return nil
}

// searchError ends the evaluation after a search that took too long.
func (env *environment) searchError(err error) {
	if err == nil {
		return
	}
	env.check()
	env.throwRange(slowRegexp, regexpLimit)
}

// javaReplace replaces all matches, or the first one. In the replacement, $1 is a group, ${name} is a
// named group, and a backslash quotes the next character.
func (env *environment) javaReplace(pattern *regexp2.Regexp, text string, with goja.Value, all bool) string {
	env.searched(len(text))
	replacement := env.toText(with).String()
	var out strings.Builder
	runes := []rune(text)
	at := 0
	match, err := pattern.FindRunesMatch(runes)
	for ; match != nil && err == nil; match, err = pattern.FindNextMatch(match) {
		out.WriteString(string(runes[at:match.RuneIndex]))
		at = match.RuneIndex + match.RuneLength
		piece, err := expand(match, replacement)
		if err != nil {
			env.throwRange("%v", err)
		}
		out.WriteString(piece)
		env.textLength(out.Len())
		if !all {
			break
		}
	}
	env.searchError(err)
	out.WriteString(string(runes[at:]))
	env.textLength(out.Len())
	env.charge(out.Len())
	return out.String()
}

var (
	errGroupReference = errors.New("Illegal group reference") //nolint:staticcheck // Java's words
	errEscapeMissing  = errors.New("character to be escaped is missing")
)

// expand returns a replacement with its references to groups replaced.
func expand(match *regexp2.Match, replacement string) (string, error) {
	if !strings.ContainsAny(replacement, `\$`) {
		return replacement, nil
	}
	var out strings.Builder
	for i := 0; i < len(replacement); i++ {
		switch c := replacement[i]; c {
		case '\\':
			i++
			if i == len(replacement) {
				return "", errEscapeMissing
			}
			out.WriteByte(replacement[i])
		case '$':
			group, width := reference(match, replacement[i+1:])
			if group == nil {
				return "", errGroupReference
			}
			out.WriteString(group.String())
			i += width
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), nil
}

// reference reads the number of a group, with as many digits as make the number of an existing one, or its name in
// braces.
func reference(match *regexp2.Match, text string) (*regexp2.Group, int) {
	if name, _, ok := strings.Cut(text, "}"); ok && strings.HasPrefix(name, "{") {
		return match.GroupByName(name[1:]), len(name) + 1
	}
	number, width := 0, 0
	for width < len(text) && text[width] >= '0' && text[width] <= '9' {
		next := number*10 + int(text[width]-'0')
		if width > 0 && next >= match.GroupCount() {
			break
		}
		number = next
		width++
	}
	if width == 0 {
		return nil, 0
	}
	return match.GroupByNumber(number), width
}
