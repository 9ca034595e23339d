// Package model is the reference model of docs/spec/language.md section 3 and of the parameters of
// section 4: naive on purpose. It scans all tasks in rounds until nothing changes, as Digdag's loop
// does (3.3), keeps no counters and no caches, and shares no code with package engine. Tests drive
// both with the same events and compare them.
//
// It differs from Digdag where Trowel does on purpose: a kill cancels at once what waits (X47, X48),
// a second run of an operator forgets the subtasks of the first (X14), and groups are retried
// wherever they stand (X39).
//
// Read Model first, then round.go. Case and Outcome make random workflows and what their operators
// do.
package model
