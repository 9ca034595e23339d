package trowel

import "time"

// Exit kinds of tries: how one execution of a task ended.
const (
	ExitSuccess  = "success"
	ExitError    = "error"
	ExitRetry    = "retry"    // failed, and will be run again
	ExitPoll     = "poll"     // asked to be run again
	ExitCanceled = "canceled" // stopped, or its result dropped, because of a kill
	ExitLost     = "lost"     // the agent went away, or gave the task back before its end
)

// TryID names one execution of one task.
type TryID struct {
	Task   TaskID
	Number int
}

// Try is one ended execution of one task, kept for history: how long tasks wait and run, and what a
// failed one printed last.
type Try struct {
	AttemptID AttemptID
	TaskID    TaskID
	Number    int
	FullName  string
	AgentID   string
	ReadyAt   time.Time
	ClaimedAt time.Time
	StartedAt time.Time // when the agent began; zero if it never did
	EndedAt   time.Time
	Exit      string   // one of the Exit kinds
	LastLines []string // of a failure: the last lines of output, at most 20
}
