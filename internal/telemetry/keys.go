package telemetry

// Keys of log entries. One thing has one key everywhere, so that logs can be searched.
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
