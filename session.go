package trowel

import "time"

// Session is the plan to run one workflow of a project for one session time. It belongs to the
// workflow's name, not to a revision (language A1, A5).
type Session struct {
	ID        SessionID
	ProjectID ProjectID
	Workflow  string
	Time      time.Time // whole seconds
	UUID      string
}
