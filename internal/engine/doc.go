// Package engine says how attempts and tasks change state: all rules of docs/spec/language.md
// section 3, one verb per file, and what a task sees as parameters (section 4).
//
// It is pure: no clock, no I/O, no SQL. An Image is one attempt's task tree in memory. Apply takes
// an Image and an Event, changes the Image and returns what changed; package flush writes that
// down. A change that could not be written leaves the Image worthless: it is thrown away and read
// anew.
//
// Read Image first, then Apply, then the verbs: start, resume, admit, unblock, ready, claim, report,
// release, due, finish, sla, kill.
package engine
