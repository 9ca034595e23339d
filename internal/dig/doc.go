// Package dig reads .dig files: their YAML and includes, the workflows of a project, the checks
// that Digdag makes of them, and the tasks that they compile to.
//
// It reads nothing but the project that it is handed, knows no clock and runs nothing: what an
// operator does with its keys and what ${...} means is known elsewhere. Read Project first, then
// Compile and Task, then Check, which finds all that is wrong at once.
package dig
