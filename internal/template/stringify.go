package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// maxNesting is the largest depth of objects that native functions traverse.
const maxNesting = 1000

// stringifier is one call of JSON.stringify (ECMA-262, SerializeJSONProperty). The interpreter's own
// has no limits, and a small graph of shared lists may have an endless text.
type stringifier struct {
	env      *environment
	out      strings.Builder
	gap      string
	indent   string
	replacer goja.Callable
	only     []string // keys, unless nil
	open     []*goja.Object
}

// stringify implements JSON.stringify. ok is false if the value has no JSON text. It throws like a native
// function and may only be called from one.
func (env *environment) stringify(value, replacer goja.Value, gap string) (text string, ok bool) {
	s := &stringifier{env: env, gap: gap}
	if list, ok := replacer.(*goja.Object); ok {
		if call, ok := goja.AssertFunction(list); ok {
			s.replacer = call
		} else if list.ClassName() == "Array" {
			s.only = keyList(list)
			for _, key := range s.only {
				env.guard(key) // its value may be passed to a toJSON
			}
		}
	}
	holder := env.rt.NewObject()
	define(holder, "", value, goja.FLAG_TRUE)
	v := s.prepared(holder, "", value)
	if goja.IsUndefined(v) {
		return "", false
	}
	s.value(v)
	return s.out.String(), true
}

// guardStringify replaces JSON.stringify.
func (env *environment) guardStringify() {
	json, ok := env.rt.Get("JSON").(*goja.Object)
	if !ok {
		return
	}
	env.method(json, "stringify", 3, func(c goja.FunctionCall) goja.Value {
		text, ok := env.stringify(c.Argument(0), c.Argument(1), gapOf(c.Argument(2)))
		if !ok {
			return goja.Undefined()
		}
		env.charge(len(text))
		return env.rt.ToValue(text)
	})
}

func gapOf(space goja.Value) string {
	const longest = 10
	if object, ok := space.(*goja.Object); ok && object.ClassName() == "Number" {
		space = object.ToNumber()
	}
	if goja.IsNumber(space) {
		return strings.Repeat(" ", int(max(0, min(longest, space.ToInteger()))))
	}
	object, boxed := space.(*goja.Object)
	if !goja.IsString(space) && (!boxed || object.ClassName() != "String") {
		return ""
	}
	runes := []rune(space.ToString().String())
	return string(runes[:min(longest, len(runes))])
}

// keyList reads a list of keys.
func keyList(list *goja.Object) []string {
	keys := []string{}
	seen := map[string]bool{}
	for i := range min(length(list), maxItems) {
		v := item(list, i)
		object, boxed := v.(*goja.Object)
		if boxed && object.ClassName() != "String" && object.ClassName() != "Number" || !boxed && !goja.IsString(v) && !goja.IsNumber(v) {
			continue
		}
		if key := v.ToString().String(); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// prepared returns a property of holder as it is written: the result of its toJSON and of the replacer, and a
// boxed value without its box. It is undefined if nothing is written.
func (s *stringifier) prepared(holder *goja.Object, key string, v goja.Value) goja.Value {
	if object, ok := v.(*goja.Object); ok {
		if toJSON, ok := goja.AssertFunction(object.Get("toJSON")); ok {
			v = callJS(toJSON, object, s.env.rt.ToValue(key))
		}
	}
	if s.replacer != nil {
		v = callJS(s.replacer, holder, s.env.rt.ToValue(key), v)
	}
	if _, symbol := v.(*goja.Symbol); v == nil || symbol {
		return goja.Undefined()
	}
	object, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	switch object.ClassName() {
	case "Number":
		return object.ToNumber()
	case "String":
		return object.ToString()
	case "Boolean":
		return callJS(original(object, "valueOf"), object)
	}
	if _, callable := goja.AssertFunction(object); callable {
		return goja.Undefined()
	}
	return object
}

// value writes a prepared value that is not undefined.
func (s *stringifier) value(v goja.Value) {
	switch {
	case goja.IsNull(v):
		s.write("null")
	case goja.IsString(v):
		s.quoted(v.String())
	case goja.IsNumber(v):
		s.out.Write(appendFinite(nil, v.ToFloat()))
	default:
		if object, ok := v.(*goja.Object); ok {
			s.object(object)
			return
		}
		s.write(v.String()) // true, false
	}
}

func (s *stringifier) object(object *goja.Object) {
	if slices.Contains(s.open, object) {
		s.env.throwType("Converting circular structure to JSON")
	}
	if len(s.open) >= maxNesting {
		s.env.throwRange(tooDeep)
	}
	s.open = append(s.open, object)
	outer := s.indent
	s.indent += s.gap
	if object.ClassName() == "Array" {
		s.list(object, outer)
	} else {
		s.properties(object, outer)
	}
	s.indent = outer
	s.open = s.open[:len(s.open)-1]
}

func (s *stringifier) list(list *goja.Object, outer string) {
	s.write("[")
	n := s.env.itemCount(length(list))
	for i := range n {
		key := strconv.FormatInt(i, 10)
		v := s.prepared(list, key, list.Get(key))
		s.separate(i == 0)
		if goja.IsUndefined(v) {
			s.write("null")
			continue
		}
		s.value(v)
	}
	s.close(n == 0, outer, "]")
}

func (s *stringifier) properties(object *goja.Object, outer string) {
	s.write("{")
	keys := s.only
	if keys == nil {
		keys = object.Keys()
	}
	first := true
	for _, key := range keys {
		v := s.prepared(object, key, object.Get(key))
		if goja.IsUndefined(v) {
			continue
		}
		s.separate(first)
		first = false
		s.quoted(key)
		s.write(":")
		if s.gap != "" {
			s.write(" ")
		}
		s.value(v)
	}
	s.close(first, outer, "}")
}

// separate begins the next item.
func (s *stringifier) separate(first bool) {
	if !first {
		s.write(",")
	}
	if s.gap != "" {
		s.write("\n" + s.indent)
	}
}

// close ends a list or an object.
func (s *stringifier) close(empty bool, outer, bracket string) {
	if !empty && s.gap != "" {
		s.write("\n" + outer)
	}
	s.write(bracket)
	s.env.check()
}

func (s *stringifier) quoted(text string) {
	s.env.textLength(s.out.Len() + len(text))
	s.out.Write(appendQuoted(nil, text))
}

func (s *stringifier) write(text string) {
	s.env.textLength(s.out.Len() + len(text))
	s.out.WriteString(text)
}
