// Package agent runs tasks: it takes leases, evaluates the configuration of a task, runs its operator, keeps the last
// lines of its output and reports how it ended. It knows nothing of states and stores.
//
// Read Agent first, then task.go, which is the life of one try.
package agent
