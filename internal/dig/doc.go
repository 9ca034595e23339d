// Package dig reads .dig files: their YAML and includes, the workflows of a project, the checks
// that Digdag makes, and the tasks that they compile to.
//
// It reads nothing but the given project, reads no clock and runs nothing. It does not know what an
// operator does with its keys or what ${...} means. Read Project first, then
// Compile and Task, then Check, which finds all mistakes at once.
package dig
