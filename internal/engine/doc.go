// Package engine says how attempts and tasks change state: all rules of docs/spec/language.md section 3, one verb per
// file, and which parameters a task sees (section 4).
//
// It is pure: no clock, no I/O, no SQL. A TaskTree is one attempt's task tree in memory. Apply takes a TaskTree and an
// Event, changes the TaskTree and returns what changed. Package flush writes the changes. If that fails, the TaskTree is
// discarded and read again.
//
// Read TaskTree first, then Apply, then the verbs: start, resume, admit, unblock, ready, claim, report, release, due,
// finish, sla, kill.
package engine
