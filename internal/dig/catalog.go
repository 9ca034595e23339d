package dig

import (
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Catalog is what Check needs to know besides the language itself. The zero value knows nothing, so that
// only what the language says is checked.
type Catalog struct {
	Operators map[string]Operator // by name; nil if they are not known
	// Expression returns the first of the expressions in a text that has no meaning, from ${ on, and why in
	// one line; fault is empty if all are right. It is nil if expressions are not checked.
	Expression func(text string) (code, fault string)
	// Folder is what messages call the project's folder; empty for "the folder".
	Folder string
}

// Operator is what is known about an operator.
type Operator struct {
	Doc string // what it does, in one line
	// Keys are the options that it reads, besides those that begin with "_".
	Keys map[string]Value
	// Open tells that all other keys have a meaning too, as parameters that become variables of a command.
	Open bool
	// Section is the name of a block in which its options may stand too; empty for none.
	Section string
	// Command is what stands behind its name. NeedsCommand tells that it cannot be left out, and Generates
	// that it needs a body below _do.
	Command                 Value
	NeedsCommand, Generates bool
}

// runsCommand reports whether the operator runs a command, which Digdag runs in a container if docker says so.
func (o Operator) runsCommand() bool { return o.Open && o.Section != "" }

// Kind is what a value is. Texts with an expression are of every kind until they are evaluated.
type Kind uint8

// Kinds of values. Those that take a text take numbers and booleans too, as operators do.
const (
	Anything Kind = iota
	Text
	Integer    // or its text
	Boolean    // or its text, or an integer
	List       // of Items
	Object     // of Fields
	JSONObject // an object, or the text of one
	JSONList   // a list, or the text of one
	TextOrList
	Duration // days, hours, minutes and seconds: 1h 30m
	Instant  // an ISO date and time with an offset
)

// Value describes a value. The zero Value takes anything.
type Value struct {
	Kind    Kind
	Doc     string   // what it is for, in one line
	Choices []string // of a Text; empty for any
	// Fields are the keys of an Object; Required are those that cannot be left out, and Others is what all
	// other keys hold; nil if there are none. Without all of these any object will do.
	Fields   map[string]Value
	Required []string
	Others   *Value
	Items    *Value // of a List; nil for anything
	// Check finds what is wrong with a value of the right kind that has no expression in it; nil finds nothing.
	Check func(value param.Value) error
}

// About returns the Value with what it is for.
func (v Value) About(doc string) Value {
	v.Doc = doc
	return v
}

// Type names the kind of the value for people.
func (v Value) Type() string {
	if len(v.Choices) > 0 {
		return "`" + strings.Join(v.Choices, "`, `") + "`"
	}
	switch v.Kind {
	case Text:
		return "text"
	case Integer:
		return "whole number"
	case Boolean:
		return "`true` or `false`"
	case List, JSONList:
		return "list"
	case Object, JSONObject:
		return "object"
	case TextOrList:
		return "text or list"
	case Duration:
		return "length of time"
	case Instant:
		return "date and time with offset"
	case Anything:
	}
	return "any"
}
