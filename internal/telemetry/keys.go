package telemetry

// Keys of log entries. The same thing always has the same key, so that logs can be searched.
const (
	KeyProject    = "project"
	KeyWorkflow   = "workflow"
	KeySessionID  = "session_id"
	KeyAttemptID  = "attempt_id"
	KeyTask       = "task" // the full name
	KeyTry        = "try"
	KeyAgent      = "agent"
	KeyPool       = "pool"
	KeyDurationMS = "duration_ms"
	KeyError      = "error"
)
