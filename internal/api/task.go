package api

import "github.com/trowel-project/trowel/internal/param"

// Task is RestTask.
type Task struct {
	ID              ID         `json:"id"`
	FullName        string     `json:"fullName"`
	ParentID        *ID        `json:"parentId"`  // null for the root
	Config          *param.Map `json:"config"`    // with _export, if that is not empty
	Upstreams       List[ID]   `json:"upstreams"` // siblings that must succeed first
	IsGroup         bool       `json:"isGroup"`
	State           string     `json:"state"` // Digdag's word: blocked, ready, retry_waiting, ...
	CancelRequested bool       `json:"cancelRequested"`
	ExportParams    *param.Map `json:"exportParams"` // _export with exported parameters merged into it
	StoreParams     *param.Map `json:"storeParams"`  // what it stored, with secrets hidden
	StateParams     *param.Map `json:"stateParams"`  // what its operator keeps between tries, with secrets hidden
	UpdatedAt       Instant    `json:"updatedAt"`
	RetryAt         *Instant   `json:"retryAt"`   // when a waiting task is due; null otherwise
	StartedAt       *Instant   `json:"startedAt"` // null for groups, and for tasks that never ran
	Error           *param.Map `json:"error"`     // {} or {"message":...,"stacktrace":...}
}

// TaskCollection is RestTaskCollection.
type TaskCollection struct {
	Tasks List[Task] `json:"tasks"`
}
