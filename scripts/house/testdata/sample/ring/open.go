package ring

import "strings"

// Open refers to close.go by a method, and close.go to it by a field.
type Open struct {
	Name string // has a comment beside it
	// Age has one above it.
	Age  int
	Size int
	rank int `note:"a tag of a field is no text, however long it is"`
	*strings.Builder
}

func (o *Open) Start() int { return o.finish() + o.rank }

func (o Open) ready() bool { return o.Builder != nil }
