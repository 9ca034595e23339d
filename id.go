package trowel

// Ids are positive, and zero means none. They are assigned in ascending order, so among the tasks of one
// attempt a smaller id is an earlier task (language C1).
type (
	// ProjectID is the id of a Project.
	ProjectID int64
	// RevisionID is the id of a Revision.
	RevisionID int64
	// WorkflowID is the id of a Workflow.
	WorkflowID int64
	// SessionID is the id of a Session.
	SessionID int64
	// AttemptID is the id of an Attempt.
	AttemptID int64
	// TaskID is the id of a Task.
	TaskID int64
	// ScheduleID is the id of a Schedule.
	ScheduleID int64
	// TokenID is the id of a Token.
	TokenID int64
	// LoginID is the id of a Login.
	LoginID int64
)
