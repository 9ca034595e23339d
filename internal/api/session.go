package api

import "github.com/trowel-project/trowel/internal/param"

// Session is RestSession.
type Session struct {
	ID          ID           `json:"id"`
	Project     IDName       `json:"project"`
	Workflow    NameOptID    `json:"workflow"` // the workflow of the last attempt
	SessionUUID string       `json:"sessionUuid"`
	SessionTime OffsetTime   `json:"sessionTime"` // in the zone of the last attempt
	LastAttempt *LastAttempt `json:"lastAttempt"`
}

// LastAttempt is what a session shows of its last attempt.
type LastAttempt struct {
	ID               ID         `json:"id"`
	RetryAttemptName *string    `json:"retryAttemptName"` // null for the unnamed attempt
	Done             bool       `json:"done"`
	Success          bool       `json:"success"`
	CancelRequested  bool       `json:"cancelRequested"`
	Params           *param.Map `json:"params"` // the session parameters
	CreatedAt        Instant    `json:"createdAt"`
	FinishedAt       *Instant   `json:"finishedAt"` // null while it runs
}

// SessionCollection is RestSessionCollection.
type SessionCollection struct {
	Sessions List[Session] `json:"sessions"`
}
