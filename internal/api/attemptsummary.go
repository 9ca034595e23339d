package api

// AttemptSummary is what the page of an attempt begins with.
type AttemptSummary struct {
	AttemptItem

	Version          int64                `json:"version"` // it grows with each change of the attempt
	Revision         string               `json:"revision"`
	LatestRevision   *string              `json:"latestRevision"` // of the project; nil if it is deleted
	WorkflowTimezone string               `json:"workflowTimezone"`
	StartedBy        StartedBy            `json:"startedBy"`
	QueuedMs         int64                `json:"queuedMs"` // until its first task began, or so far
	RunMs            int64                `json:"runMs"`    // since then
	Tasks            int                  `json:"tasks"`    // how many it has
	Counts           map[string]int       `json:"counts"`   // those that are no groups, by state
	RootCauses       List[RootCause]      `json:"rootCauses"`
	Estimate         *Estimate            `json:"estimate"`        // nil with fewer than 3 earlier successes, and once it has ended
	PreviousSuccess  *PreviousAttempt     `json:"previousSuccess"` // the last success of the workflow before it
	Retries          List[SessionAttempt] `json:"retries"`         // the other attempts of its session, newest first, at most 20
	Can              List[string]         `json:"can"`             // what the caller may do with it: verbs
}

// StartedBy is who started an attempt.
type StartedBy struct {
	Kind string `json:"kind"` // start, retry, require, schedule or backfill
	Name string `json:"name"` // the user, token or server
}

// RootCause are tasks that failed by themselves, for one cause.
type RootCause struct {
	TaskID    ID           `json:"taskId"` // the first of them
	TaskName  string       `json:"taskName"`
	Operator  *string      `json:"operator"`
	Try       int          `json:"try"`
	At        string       `json:"at"`        // when it failed
	Tasks     int          `json:"tasks"`     // how many of this attempt failed alike
	Handler   bool         `json:"handler"`   // it was to handle the failure of others
	Error     TaskFailure  `json:"error"`     // of the first of them
	LogTail   List[string] `json:"logTail"`   // the last lines of its output, at most 20
	Cause     *string      `json:"cause"`     // see Failure; nil while tasks still handle the failure
	SameCause int          `json:"sameCause"` // how many other attempts failed for it in the last 14 days
}

// TaskFailure is the error of a task.
type TaskFailure struct {
	Message string  `json:"message"`
	Kind    *string `json:"kind"` // such as "runtime"; nil if the message names none
}

// PreviousAttempt names an earlier attempt of a workflow.
type PreviousAttempt struct {
	ID          ID         `json:"id"`
	SessionTime OffsetTime `json:"sessionTime"`
	CreatedAt   string     `json:"createdAt"`
	FinishedAt  *string    `json:"finishedAt"`
}

// SessionAttempt names an attempt of a session.
type SessionAttempt struct {
	ID        ID      `json:"id"`
	Index     int     `json:"index"` // from 1 within the session
	Name      *string `json:"name"`  // nil for the unnamed one
	Status    string  `json:"status"`
	Kind      string  `json:"kind"` // as in StartedBy
	CreatedAt string  `json:"createdAt"`
}
