// Package live shows a run to people on a terminal: a tree of tasks that changes in place, the output of the tasks above it,
// and a summary at the end. A local run and an attempt on a server look the same.
package live
