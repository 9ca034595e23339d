// Package operator does the work of tasks, with one operator per file (echo.go, sh.go, loop.go...).
//
// A task's evaluated configuration names its operator, which Select finds. Table is the list of all
// operators. Table.Run runs one of them for a Request and returns an Outcome, or an error that
// ErrorObject turns into what workflows see as ${error}. An operator never names a state of a task
// and never sees the database. Read Request and Outcome first, then Builtin.
//
// Operators read their options from all parameters of the task, own and inherited, as in Digdag
// (operators 1.3).
package operator
