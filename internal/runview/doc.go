// Package runview shows a run of a workflow: as JSON to programs, and as Digdag does to scripts. Package live below it shows a
// tree that changes in place to people. A view receives what happens; it never asks the run.
package runview
