package template

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// formatNoFunction is the text about a call of a property that is not a function (language T27).
const formatNoFunction = "(intermediate value).%s is not a function"

// maxReason is the length in bytes at which the text of an exception is cut.
const maxReason = 16 << 10

// reason returns the text of an exception, in Digdag's words where language T27 has them: the type and
// the message of an error, and the text of any other value.
func (env *environment) reason(p *program, exception *goja.Exception) string {
	text := "an object without text"
	if err := env.try(func() { text = exception.Value().String() }); err != nil {
		return text
	}
	if message, ok := strings.CutPrefix(text, "TypeError: "); ok {
		text = "TypeError: " + env.typeMessage(p, exception, message)
	}
	return shortened(text)
}

// shortened cuts a text that is too long for a message.
func shortened(text string) string {
	if len(text) <= maxReason {
		return text
	}
	cut := maxReason
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

// typeMessage replaces the interpreter's words for the common type errors by Digdag's.
func (env *environment) typeMessage(p *program, exception *goja.Exception, message string) string {
	if name, ok := between(message, "Object has no member '", "'"); ok {
		return strings.Replace(formatNoFunction, "%s", name, 1)
	}
	for _, prefix := range []string{"Value is not an object: ", "Not a function: ", "Value is not callable: "} {
		if value, ok := strings.CutPrefix(message, prefix); ok {
			return value + " is not a function"
		}
	}
	for _, suffix := range []string{"' of undefined or null", "' of undefined"} {
		if name, ok := between(message, "Cannot read property '", suffix); ok {
			name, of := env.nothing(p, exception, name)
			return "Cannot read property '" + name + "' of " + of
		}
	}
	return message
}

func between(text, prefix, suffix string) (string, bool) {
	text, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(text, suffix)
}

// nothing returns whether a property was read of null or of undefined, which the interpreter does not
// say. It is null if there is null, or a plain reference to a null parameter, at the place of the error. The
// interpreter has no place for the callee of a call, so the first place that reads a property of that
// name from null is taken. It also returns the name, which the interpreter garbles beyond ASCII.
func (env *environment) nothing(p *program, exception *goja.Exception, name string) (property, of string) {
	stack := exception.Stack()
	if p == nil || len(stack) == 0 {
		return name, "undefined"
	}
	at := stack[0].Position()
	for _, s := range p.sites {
		if s.line != at.Line || s.column != at.Column {
			continue
		}
		garbled := strings.ContainsRune(name, utf8.RuneError)
		if s.property != "" && s.property != name && !garbled {
			continue // the place belongs to another property, as the call has none
		}
		if garbled && s.property != "" {
			name = s.property
		}
		return name, env.nothingAt(s)
	}
	for _, s := range p.sites {
		if s.property == name && env.nothingAt(s) == "null" {
			return name, "null"
		}
	}
	return name, "undefined"
}

func (env *environment) nothingAt(s site) string {
	if s.of == "null" {
		return "null"
	}
	if v, answer := resolve(s.of, env.scope); answer == found && v == nil {
		return "null"
	}
	return "undefined"
}
