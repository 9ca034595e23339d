package dig

import (
	"slices"
	"strings"

	"github.com/trowel-project/trowel/internal/param"
)

// Catalog has what Check needs to know besides the language itself. With the zero value only the rules of the
// language are checked.
type Catalog struct {
	Operators map[string]Operator // by name; nil if the operators are not known
	// Expression returns the first invalid expression in a text, from ${ on, and in one line what is wrong with it.
	// fault is empty if there is none. Nil if expressions are not checked.
	Expression func(text string) (code, fault string)
	// Folder is what messages call the project's folder; empty for "the folder".
	Folder string
}

// Operator is what is known about an operator.
type Operator struct {
	Doc string // what it does, in one line
	// Keys are the options that it reads, except those that begin with "_".
	Keys map[string]Value
	// Open is set if all other keys are valid too, as parameters that become variables of a command.
	Open bool
	// Blocks are the names of blocks of parameters that may have its options as well. A block within a block is named with
	// a dot, as "aws.s3"; the outer one then is in the list, too.
	Blocks []string
	// Command describes the value of its name. NeedsCommand is set if it is required, and Generates
	// if the operator needs a body below _do.
	Command                 Value
	NeedsCommand, Generates bool
	// Needs are the options that a task must have or inherit: one of each list, in which NeedsValue stands for the value of
	// the name.
	Needs [][]string
}

// hasBlock reports whether the operator has a block at a path of keys.
func (o Operator) hasBlock(path ...string) bool {
	return slices.Contains(o.Blocks, strings.Join(path, "."))
}

// Kind is a type of value. A text with an expression has every kind until it is evaluated.
type Kind uint8

// Kinds of values. Those that take a text also take numbers and booleans, as operators do.
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
	Kind    Kind     // zero for any kind
	Doc     string   // what it is for, in one line
	Default string   // what holds where it is not given, as text; empty for nothing
	Since   string   // the version of Trowel from which on it is known; empty for that of the operator
	Differs string   // how it differs from Digdag 0.10, as "not in Digdag"; empty if it does not
	Choices []string // of a Text; empty for any
	// Fields are the keys of an Object. Required are the keys that must be given, and Others describes the values of all
	// other keys; nil if there are none. Without all of these any object is valid.
	Fields   map[string]Value
	Required []string
	Others   *Value
	// Joined are the keys that an Object must have once what the task and those above it give for it is joined.
	Joined []string
	Items  *Value // of a List; nil for anything
	// Check finds out what is wrong with a value of the right kind without expressions. Nil for no check.
	Check func(value param.Value) error
}

// About returns the Value with a description.
func (v Value) About(doc string) Value {
	v.Doc = doc
	return v
}

// Or returns the Value with what holds where it is not given.
func (v Value) Or(text string) Value {
	v.Default = text
	return v
}

// DiffersBy returns the Value with how it differs from Digdag 0.10.
func (v Value) DiffersBy(what string) Value {
	v.Differs = what
	return v
}

// Description returns what the value is for and what holds without it, for people.
func (v Value) Description() string {
	if v.Default == "" {
		return v.Doc
	}
	return v.Doc + "; " + v.Default
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
