package operator

import "github.com/trowel-project/trowel/internal/dig"

// Kinds of values for tables of options. Each says what else it is for with About.

// Text is a text, or what can be written as one.
func Text() dig.Value { return dig.Value{Kind: dig.Text} }

// Integer is a whole number.
func Integer() dig.Value { return dig.Value{Kind: dig.Integer} }

// Boolean is true or false.
func Boolean() dig.Value { return dig.Value{Kind: dig.Boolean} }

// Object is a map with any keys.
func Object() dig.Value { return dig.Value{Kind: dig.Object} }

// Anything is any value.
func Anything() dig.Value { return dig.Value{} }

// Duration is a length of time, as "1h 30m".
func Duration() dig.Value { return dig.Value{Kind: dig.Duration} }

// OneOf is one of a few words.
func OneOf(choices ...string) dig.Value { return dig.Value{Kind: dig.Text, Choices: choices} }

// ListOf is a list of values of one kind.
func ListOf(items dig.Value) dig.Value { return dig.Value{Kind: dig.List, Items: &items} }
