// Package runview shows a run of a workflow: as JSON for programs, and as Digdag does for scripts. Package live below it
// shows people a tree that changes in place. A view is told what happens; it never asks the run.
package runview
