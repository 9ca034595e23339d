// Package engine says how attempts and tasks change state: all rules of docs/spec/language.md section 3, one verb per
// file, and which parameters a task sees (section 4).
//
// It is pure: no clock, no I/O, no SQL. An Image is one attempt's task tree in memory. Apply takes an Image and an
// Event, changes the Image and returns what changed. Package flush writes the changes. If that fails, the Image is
// discarded and read again.
//
// Read Image first, then Apply, then the verbs: start, resume, admit, unblock, ready, claim, report, release, due,
// finish, sla, kill.
package engine
