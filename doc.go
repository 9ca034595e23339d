// Package trowel is the domain of Trowel, a workflow engine that runs .dig files: the things that
// exist (projects, revisions, workflows, sessions, attempts, tasks, leases), their states, and the
// Store that keeps them. One file holds one noun.
//
// The package does no I/O, reads no clock and starts no goroutines. Read Task and TaskState first, then
// Attempt and Store.
//
// The module is a program. Its Go API carries no promise of compatibility.
package trowel
