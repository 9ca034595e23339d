package template

import (
	"strconv"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Plain references are names of parameters and chains of their properties: a, a.b.c, a[0].b,
// a["b-c"], this["a-b"]. They are most of what people write, and need no interpreter. Where the
// answer could be in a prototype or among the globals, the interpreter evaluates them after all.

// answer says how a reference was resolved.
type answer int

const (
	found answer = iota
	undefined
	noObject // a property of null or undefined is read
	unknown  // only the interpreter knows
)

// chain is a cursor over a plain reference.
type chain struct{ rest string }

// isPlain reports whether code has the form of a plain reference.
func isPlain(code string) bool {
	c := chain{trimSpace(code)}
	root, ok := c.root()
	if !ok || (root == "this" && c.rest == "") {
		return false
	}
	for c.rest != "" {
		if _, ok := c.property(); !ok {
			return false
		}
	}
	return true
}

// resolve returns the value of a plain reference. For noObject the value is the text of the error.
func resolve(code string, sc scope) (param.Value, answer) {
	c := chain{trimSpace(code)}
	root, ok := c.root()
	if !ok {
		return nil, unknown
	}
	if root == "this" {
		first, ok := c.property()
		if !ok || first.index {
			return nil, unknown
		}
		root = first.name
	}
	value, ok := sc.get(root)
	if !ok {
		return nil, unknown
	}
	state := found
	for c.rest != "" {
		prop, ok := c.property()
		if !ok {
			return nil, unknown
		}
		if value == nil || state == undefined {
			return nullError(prop.name, state), noObject
		}
		value, state = property(value, prop)
		if state == unknown {
			return nil, unknown
		}
	}
	return value, state
}

// nullError returns the text about a property of null or undefined (language T27).
func nullError(name string, state answer) string {
	of := "null"
	if state == undefined {
		of = "undefined"
	}
	return "TypeError: Cannot read property '" + name + "' of " + of
}

// step is one property of a chain.
type step struct {
	name  string
	index bool // written [n]
}

// root reads the name that a chain begins with: a parameter, or this.
func (c *chain) root() (string, bool) {
	name, ok := c.identifier()
	return name, ok && (name == "this" || !reserved(name))
}

// property reads .name, [0], ["name"] or ['name'].
func (c *chain) property() (step, bool) {
	if c.rest == "" {
		return step{}, false
	}
	switch c.rest[0] {
	case '.':
		c.rest = c.rest[1:]
		name, ok := c.identifier()
		return step{name: name}, ok
	case '[':
		inside, rest, ok := strings.Cut(c.rest[1:], "]")
		c.rest = rest
		if !ok {
			return step{}, false
		}
		if name, ok := quoted(inside); ok {
			return step{name: name}, true
		}
		_, ok = listIndex(inside)
		return step{name: inside, index: true}, ok
	default:
		return step{}, false
	}
}

func (c *chain) identifier() (string, bool) {
	n := 0
	for n < len(c.rest) && nameByte(c.rest[n], n == 0) {
		n++
	}
	name := c.rest[:n]
	c.rest = c.rest[n:]
	return name, n > 0
}

func nameByte(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$':
		return true
	case c >= '0' && c <= '9':
		return !first
	default:
		return false
	}
}

// quoted reads a string literal without escapes.
func quoted(text string) (string, bool) {
	n := len(text)
	if n < 2 || (text[0] != '"' && text[0] != '\'') || text[n-1] != text[0] {
		return "", false
	}
	inside := text[1 : n-1]
	return inside, !strings.ContainsAny(inside, "\\\n\r\"']")
}

// property reads a property of a value that is neither null nor undefined.
func property(value param.Value, prop step) (param.Value, answer) {
	switch value := value.(type) {
	case *param.Map:
		if v, ok := value.Get(prop.name); ok {
			return v, found
		}
		if objectProperty(prop.name) {
			return nil, unknown
		}
		return nil, undefined
	case param.List:
		if prop.index {
			if i, err := strconv.Atoi(prop.name); err == nil && i < len(value) {
				return value[i], found
			}
			return nil, undefined
		}
		if prop.name == "length" {
			return int64(len(value)), found
		}
	case string:
		if prop.name == "length" && !prop.index {
			return int64(utf16Length(value)), found
		}
	}
	return nil, unknown
}

// utf16Length returns the length of a text in JavaScript.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// objectProperty reports whether every object inherits a property with this name.
func objectProperty(name string) bool {
	switch name {
	case "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
		"__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__":
		return true
	}
	return false
}

// reserved reports whether a name is a keyword, or another one that a parameter does not simply hide.
func reserved(name string) bool {
	switch name {
	case "arguments", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default",
		"delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "get", "if",
		"implements", "import", "in", "instanceof", "interface", "let", "new", "null", "of", "package", "private",
		"protected", "public", "return", "set", "static", "super", "switch", "this", "throw", "true", "try", "typeof",
		"undefined", "var", "void", "while", "with", "yield":
		return true
	}
	return false
}

// trimSpace removes the spaces and line breaks around an expression.
func trimSpace(code string) string { return strings.Trim(code, " \t\r\n") }
