// Package runview shows a run of a workflow: as JSON to programs, and as Digdag does to scripts. Package live below it shows a
// tree that changes in place to people. A view is told what happens; it asks nothing of the run.
package runview
