// Package live shows a run to people on a terminal: a tree of tasks that changes in place, above it their output, and at the
// end a summary. A local run and an attempt on a server are shown alike.
package live
