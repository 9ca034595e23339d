// Package td has the operators of Treasure Data: td>, td_run>, td_load> and the others (operators 8).
//
// Table lists them. What they have in common is in task.go, which makes the client of a task, and in job.go: most
// begin a job of the service and wait for it. Package tdclient speaks with the service.
package td
