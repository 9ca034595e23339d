package template

import (
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// javaMethod adds a method of Java's texts to JavaScript's (language T20). Where JavaScript has one
// of that name, it stays, except for replaceAll, which ECMAScript 5 does not have.
func javaMethod(name string) func(*environment) {
	switch name {
	case "replaceAll", "replaceFirst", "matches":
		return javaSearch(name)
	case "isEmpty":
		return javaTest(name, func(s string) bool { return s == "" })
	case "isBlank":
		return javaTest(name, func(s string) bool { return strings.TrimFunc(s, javaSpace) == "" })
	case "contains":
		return javaCompare(name, func(s, other string) any { return strings.Contains(s, other) })
	case "equals", "contentEquals":
		return javaCompare(name, func(s, other string) any { return s == other })
	case "equalsIgnoreCase":
		return javaCompare(name, func(s, other string) any { return foldJava(s) == foldJava(other) })
	case "compareTo":
		return javaCompare(name, func(s, other string) any { return compareUnits(s, other) })
	case "compareToIgnoreCase":
		return javaCompare(name, func(s, other string) any { return compareUnits(foldJava(s), foldJava(other)) })
	case "strip":
		return javaChange(name, func(s string) string { return strings.TrimFunc(s, javaSpace) })
	case "stripLeading":
		return javaChange(name, func(s string) string { return strings.TrimLeftFunc(s, javaSpace) })
	case "stripTrailing":
		return javaChange(name, func(s string) string { return strings.TrimRightFunc(s, javaSpace) })
	case "intern":
		return javaChange(name, func(s string) string { return s })
	case "hashCode":
		return javaStringMethod(name, 0, func(_ *environment, s string, _ goja.FunctionCall) any { return hashCode(s) })
	case "codePointBefore":
		return javaStringMethod(name, 1, (*environment).codePointBefore)
	case "codePointCount":
		return javaStringMethod(name, 2, (*environment).codePointCount)
	case "subSequence":
		return javaStringMethod(name, 2, (*environment).subSequence)
	case "regionMatches":
		return javaStringMethod(name, 4, (*environment).regionMatches)
	case "formatted":
		return javaStringMethod(name, 0, func(env *environment, s string, c goja.FunctionCall) any {
			return env.javaFormat(s, c.Arguments)
		})
	}
	return nil
}

// javaStringMethod adds a method to all texts. Its result is converted to JavaScript.
func javaStringMethod(name string, parameters int, f func(env *environment, s string, c goja.FunctionCall) any) func(*environment) {
	return func(env *environment) {
		env.method(env.stringPrototype(), name, parameters, func(c goja.FunctionCall) goja.Value {
			return env.rt.ToValue(f(env, env.thisText(c), c))
		})
	}
}

func javaTest(name string, f func(string) bool) func(*environment) {
	return javaStringMethod(name, 0, func(_ *environment, s string, _ goja.FunctionCall) any { return f(s) })
}

func javaChange(name string, f func(string) string) func(*environment) {
	return javaStringMethod(name, 0, func(_ *environment, s string, _ goja.FunctionCall) any { return f(s) })
}

func javaCompare(name string, f func(s, other string) any) func(*environment) {
	return javaStringMethod(name, 1, func(_ *environment, s string, c goja.FunctionCall) any {
		return f(s, c.Argument(0).ToString().String())
	})
}

// thisText returns the text whose method was called.
func (env *environment) thisText(c goja.FunctionCall) string {
	if goja.IsUndefined(c.This) || goja.IsNull(c.This) {
		env.throwType("a method of texts was called on %s", c.This)
	}
	return c.This.ToString().String()
}

// javaSpace implements Character.isWhitespace, for which no-break spaces are not white space.
func javaSpace(r rune) bool {
	switch r {
	case '\u00a0', '\u2007', '\u202f', '\u0085':
		return false
	case '\u001c', '\u001d', '\u001e', '\u001f':
		return true
	}
	return unicode.IsSpace(r)
}

// foldJava returns equal texts for texts that equalsIgnoreCase considers equal.
func foldJava(s string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, s)
}

// compareUnits returns the difference of the first UTF-16 units that differ, or of the lengths.
func compareUnits(a, b string) int {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return int(x[i]) - int(y[i])
		}
	}
	return len(x) - len(y)
}

func hashCode(s string) int32 {
	hash := int32(0)
	for _, unit := range utf16.Encode([]rune(s)) {
		hash = hash*31 + int32(unit)
	}
	return hash
}

// span reads two positions in UTF-16 units.
func (env *environment) span(units []uint16, from, to goja.Value) []uint16 {
	i, j := from.ToInteger(), to.ToInteger()
	if i < 0 || j > int64(len(units)) || i > j {
		env.throwRange("begin %d, end %d, length %d", i, j, len(units))
	}
	return units[i:j]
}

func (env *environment) subSequence(s string, c goja.FunctionCall) any {
	units := env.span(utf16.Encode([]rune(s)), c.Argument(0), c.Argument(1))
	return string(utf16.Decode(units))
}

func (env *environment) codePointCount(s string, c goja.FunctionCall) any {
	units := env.span(utf16.Encode([]rune(s)), c.Argument(0), c.Argument(1))
	return len(utf16.Decode(units))
}

func (env *environment) codePointBefore(s string, c goja.FunctionCall) any {
	units := utf16.Encode([]rune(s))
	runes := utf16.Decode(env.span(units, env.rt.ToValue(0), c.Argument(0)))
	if len(runes) == 0 {
		env.throwRange("index 0, length %d", len(units))
	}
	return int64(runes[len(runes)-1])
}

// regionMatches implements regionMatches([ignoreCase,] from, other, otherFrom, length).
func (env *environment) regionMatches(s string, c goja.FunctionCall) any {
	args := c.Arguments
	ignore := false
	if len(args) > 4 {
		ignore, args = args[0].ToBoolean(), args[1:]
	}
	c.Arguments = args
	a, b := utf16.Encode([]rune(s)), utf16.Encode([]rune(c.Argument(1).ToString().String()))
	i, j, n := c.Argument(0).ToInteger(), c.Argument(2).ToInteger(), max(0, c.Argument(3).ToInteger())
	if i < 0 || j < 0 || i > int64(len(a))-n || j > int64(len(b))-n {
		return false
	}
	x, y := string(utf16.Decode(a[i:i+n])), string(utf16.Decode(b[j:j+n]))
	if ignore {
		return foldJava(x) == foldJava(y)
	}
	return x == y
}
