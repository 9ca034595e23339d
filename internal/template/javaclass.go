package template

import (
	"strings"

	"github.com/dop251/goja"
)

// stringClass is the only class of the host that expressions can reach (language T20).
const stringClass = "java.lang.String"

// guardJava defines the globals java and Java.
func (env *environment) guardJava() {
	class := env.newStringClass()
	lang, java, types := env.rt.NewObject(), env.rt.NewObject(), env.rt.NewObject()
	define(lang, "String", class, goja.FLAG_TRUE)
	define(java, "lang", lang, goja.FLAG_TRUE)
	env.method(types, "type", 1, func(c goja.FunctionCall) goja.Value {
		if name := c.Argument(0).ToString().String(); name != stringClass {
			env.throwType("Access to host class %s is not allowed or does not exist.", name)
		}
		return class
	})
	env.global("java", java)
	env.global("Java", types)
}

// newStringClass makes the class with its useful static methods.
func (env *environment) newStringClass() *goja.Object {
	class := env.native("String", 1, func(goja.FunctionCall) goja.Value {
		env.throwType("%s cannot be called", stringClass)
		return nil
	})
	env.method(class, "format", 1, func(c goja.FunctionCall) goja.Value {
		if len(c.Arguments) == 0 {
			env.throwType("format needs a text")
		}
		return env.rt.ToValue(env.javaFormat(c.Arguments[0].ToString().String(), c.Arguments[1:]))
	})
	for _, name := range []string{"valueOf", "copyValueOf"} {
		env.method(class, name, 1, func(c goja.FunctionCall) goja.Value { return env.rt.ToValue(formatText(c.Argument(0))) })
	}
	env.method(class, "join", 1, func(c goja.FunctionCall) goja.Value { return env.rt.ToValue(env.javaJoin(c)) })
	return class
}

// javaJoin implements join(separator, texts...) and join(separator, list).
func (env *environment) javaJoin(c goja.FunctionCall) string {
	separator := c.Argument(0).ToString().String()
	var texts []string
	total := 0
	add := func(v goja.Value) {
		texts = append(texts, v.ToString().String())
		total = env.textLength(total + len(separator) + len(texts[len(texts)-1]))
	}
	if list, ok := c.Argument(1).(*goja.Object); ok && len(c.Arguments) == 2 && list.ClassName() == "Array" {
		for i := range env.itemCount(length(list)) {
			add(item(list, i))
		}
	} else if len(c.Arguments) > 1 {
		for _, v := range c.Arguments[1:] {
			add(v)
		}
	}
	env.charge(total)
	return strings.Join(texts, separator)
}
