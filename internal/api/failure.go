package api

// Failure are tasks that ended in an error for the same cause.
type Failure struct {
	Cause        string        `json:"cause"`    // 16 hexadecimal digits
	Kind         *string       `json:"kind"`     // of the error, such as "runtime"; nil if the message names none
	Message      string        `json:"message"`  // that of the newest one
	Operator     *string       `json:"operator"` // such as "sh"; nil for tasks without one
	Count        int           `json:"count"`    // how many tasks
	First        string        `json:"first"`    // when the first of them ended
	Last         string        `json:"last"`
	IsNew        bool          `json:"isNew"`     // there was none in the 14 days before the first
	Recovered    bool          `json:"recovered"` // the last attempts of all sessions succeeded
	Sample       FailureSample `json:"sample"`    // the newest one that has not recovered, if there is any
	Attempts     List[ID]      `json:"attempts"`  // the newest ones, at most 50
	AttemptCount int           `json:"attemptCount"`
}

// FailureSample is one failed task.
type FailureSample struct {
	AttemptID   ID           `json:"attemptId"`
	TaskID      ID           `json:"taskId"`
	TaskName    string       `json:"taskName"` // full name
	Project     IDName       `json:"project"`
	Workflow    string       `json:"workflow"`
	SessionTime OffsetTime   `json:"sessionTime"` // in the attempt's zone
	LogTail     List[string] `json:"logTail"`     // the last lines of its output, at most 20
}

// FailureList is a page of failures.
type FailureList struct {
	Items List[Failure] `json:"items"`
	Next  *string       `json:"next"` // names the next page; nil on the last one
}
