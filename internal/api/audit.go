package api

import "github.com/trowel-project/trowel/internal/param"

// AuditEntry says who did what, when (docs/audit.md). Instants are in UTC with milliseconds.
type AuditEntry struct {
	ID      string      `json:"id"` // names the entry among all entries of the audit
	At      string      `json:"at"`
	Actor   AuditActor  `json:"actor"`
	Action  string      `json:"action"` // "<object kind>.<verb>"; the moves of a task are "task.<move>"
	Text    string      `json:"text"`   // what was done, in one sentence
	Object  AuditObject `json:"object"`
	Before  *param.Map  `json:"before,omitempty"` // the changed properties as they were; nil for something new
	After   *param.Map  `json:"after,omitempty"`  // the changed properties as they are now; nil for something deleted
	Note    string      `json:"note,omitempty"`   // what the actor wrote about the reason
	Source  string      `json:"source"`           // "rest", "cli", "config", "scheduler", "server" or "engine"
	CauseID *string     `json:"causeId"`          // the same for all entries of one transaction; nil if it is not known
}

// AuditActor is who did something.
type AuditActor struct {
	Kind string `json:"kind"` // "user", "token", "server" or "agent"
	Name string `json:"name"`
}

// AuditObject is what something was done to.
type AuditObject struct {
	Kind      string  `json:"kind"`
	ID        string  `json:"id"`
	Path      string  `json:"path"` // what people call it
	Project   *IDName `json:"project,omitempty"`
	Workflow  string  `json:"workflow,omitempty"`
	AttemptID *ID     `json:"attemptId,omitempty"`
	TaskID    *ID     `json:"taskId,omitempty"`
	Try       int     `json:"try,omitempty"` // number of the try, from 1; 0 if it is about no try
}

// AuditList is a page of the audit.
type AuditList struct {
	Items List[AuditEntry] `json:"items"`
	Next  *string          `json:"next"` // names the next page; nil on the last one
}
