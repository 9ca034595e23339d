// Package template evaluates ${...} in parameters and files (language 5): the expression between the
// braces is JavaScript, its variables are parameters, and the value becomes text.
//
// A text is cut into pieces (scan.go). Names of parameters and chains of their properties are looked
// up at once (plain.go). Anything else is compiled by goja, with changes that keep it within limits
// (rewrite.go), and run in a fresh environment (environment.go), which has the workflow's time zone
// in its dates (date.go), methods of Java's texts (javastring.go) and, if it is named, moment. Read
// Evaluator first, then config.go for what sees what.
//
// # Limits
//
// An expression reaches nothing of the host: no files, network, modules, clock aside, and no value
// of Go. One that runs on is interrupted after Options.TimeLimit or when the context ends. Texts are
// at most Options.MaxResultBytes long, native functions take lists of at most 1,048,576 items and
// search texts of at most 524,288 UTF-16 units with regular expressions, calls are nested at most
// 2,000 deep, an expression is at most 64 KiB long. An expression that makes a lot of objects ends
// when the heap has grown by Options.MaxHeapBytes.
//
// To that end BigInt, Promise, Proxy, Reflect, async functions and with statements are not
// available, and code in eval and Function sees parameters or globals, but no local variables.
//
// # What cannot be stopped
//
// A native function runs to its end before an interruption is seen. The limits above bound how long
// that takes, to about a second: sorting a list of a million items, say. A search with a regular
// expression that backtracks is given up after three seconds. Compiling an expression takes time that
// can grow with the square of its length; for 64 KiB of nothing but additions it is seconds.
// What many evaluations at once hold together is not limited.
package template
