// Package outline keeps the tasks of attempts in memory as pages show them, so that a page of an attempt with 100,000 tasks,
// and how many of them are in which state, cost no reading of all of them. It knows nothing of HTTP.
//
// A Cache has a Tree for each attempt that was looked at lately. The tree of a running attempt is brought up to date by what
// changed since: the audit says which tasks. That of an ended attempt is read once from the archive.
//
// Read Cache.Read first, then Tree and Selection.
package outline
