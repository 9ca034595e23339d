// Package sample is a module to measure: its package ring has a circle of files, plain has none.
package sample

import "example.com/sample/ring"

// First says a text that stands in another package, too.
func First(o ring.Open) string { return o.Name + "this text is longer than most are" }
