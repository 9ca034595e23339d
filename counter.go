package trowel

import "strings"

// CounterKind is what the counters of one kind of limit have in common: the name of each is the kind alone, or the kind, a
// colon and a key.
type CounterKind string

// The kinds of counters.
const (
	CounterPool        CounterKind = "pool"        // slots of a pool, by its id
	CounterTasks       CounterKind = "tasks"       // running tasks: of the site without a key, or of a workflow
	CounterAdmission   CounterKind = "attempts"    // locked to admit attempts of a workflow
	CounterConcurrency CounterKind = "concurrency" // tasks that share a concurrency limit (control K810), by its key
)

// KindOfCounter returns the kind of a counter.
func KindOfCounter(name string) CounterKind {
	kind, _, _ := strings.Cut(name, ":")
	return CounterKind(kind)
}

// Counter returns the name of the counter with a key.
func (k CounterKind) Counter(key string) string { return string(k) + ":" + key }

// Unbounded reports whether there can be any number of counters of the kind, because users write their keys in workflows.
// Such a counter is deleted when it is zero, and so is one of a kind that is not listed here.
func (k CounterKind) Unbounded() bool {
	switch k {
	case CounterPool, CounterTasks, CounterAdmission:
		return false
	case CounterConcurrency:
	}
	return true
}
