// Package template evaluates ${...} in parameters and files (language 5). The expression between the
// braces is JavaScript, its variables are parameters, and its value becomes text.
//
// A text is cut into pieces (scan.go). Names of parameters and chains of their properties are looked
// up directly (plain.go). Everything else is compiled by goja, with changes that keep it within limits
// (rewrite.go), and runs in a fresh environment (environment.go). That has the workflow's time zone
// in its dates (date.go), methods of Java's texts (javastring.go) and, if an expression names it, moment. Read
// Evaluator first, then config.go, which decides what an expression sees.
//
// # Limits
//
// An expression reaches nothing of the host except the clock: no files, network or modules, and no value
// of Go. It is interrupted after Options.TimeLimit or when the context ends. Texts have
// at most Options.MaxResultBytes. Native functions take lists of at most 1,048,576 items, and
// search texts of at most 524,288 UTF-16 units with regular expressions. Calls are nested at most
// 2,000 deep, and an expression has at most 64 KiB. An expression that makes many objects ends
// when the heap has grown by Options.MaxHeapBytes.
//
// For these limits BigInt, Promise, Proxy, Reflect, async functions and with statements are not
// available, and code in eval and Function sees parameters or globals, but no local variables.
//
// # What cannot be stopped
//
// A native function runs to its end before an interruption takes effect. The limits above keep that to
// about a second, for example for sorting a list of a million items. A search with a regular
// expression that backtracks is given up after three seconds. The time to compile an expression
// can grow with the square of its length. For 64 KiB of nothing but additions it is seconds.
// There is no limit on the memory of many concurrent evaluations together.
package template
