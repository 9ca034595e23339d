package trowel

// Ids are positive; zero means none. They are handed out in growing order, so among the tasks of one
// attempt a smaller id is an earlier task (language C1).
type (
	ProjectID  int64
	RevisionID int64
	WorkflowID int64
	SessionID  int64
	AttemptID  int64
	TaskID     int64
)
