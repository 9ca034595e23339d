package api

import "github.com/trowel-project/trowel/internal/param"

// AuditEntry says who did what, when (ui.md, A45). Instants are in UTC with milliseconds.
type AuditEntry struct {
	ID     string      `json:"id"`
	At     string      `json:"at"`
	Actor  AuditActor  `json:"actor"`
	Action string      `json:"action"` // "<object kind>.<verb>"; the moves of a task are "task.<move>"
	Text   string      `json:"text"`   // one sentence
	Object AuditObject `json:"object"`
	Before *param.Map  `json:"before,omitempty"`
	After  *param.Map  `json:"after,omitempty"`
	Note   string      `json:"note,omitempty"`
	Source string      `json:"source"` // "rest", "cli", "config", "scheduler", "server" or "engine"
	// CauseID is the same for all entries of one transaction; nil if it is not known.
	CauseID *string `json:"causeId"`
}

// AuditActor is who did it.
type AuditActor struct {
	Kind string `json:"kind"` // "user", "token", "server" or "agent"
	Name string `json:"name"`
}

// AuditObject is what it was done to.
type AuditObject struct {
	Kind      string  `json:"kind"`
	ID        string  `json:"id"`
	Path      string  `json:"path"` // what people call it
	Project   *IDName `json:"project,omitempty"`
	Workflow  string  `json:"workflow,omitempty"`
	AttemptID *ID     `json:"attemptId,omitempty"`
	TaskID    *ID     `json:"taskId,omitempty"`
	Try       int     `json:"try,omitempty"`
}

// AuditList is a page of the audit.
type AuditList struct {
	Items List[AuditEntry] `json:"items"`
	Next  *string          `json:"next"`
}
