package trowel

import (
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Exit kinds: how a try ended.
const (
	ExitSuccess  = "success"
	ExitError    = "error"
	ExitRetry    = "retry"    // it failed, and the task will run again
	ExitPoll     = "poll"     // it asked to be run again
	ExitCanceled = "canceled" // a kill stopped it, or its result was dropped because of a kill
	ExitLost     = "lost"     // the agent went away, or gave the task back before its end
)

// TryID names one try.
type TryID struct {
	Task   TaskID // the task
	Number int    // the number of the try, from 1
}

// Try is one ended execution of one task. It is kept for history: how long the task waited and ran, and what a
// failed one printed last.
type Try struct {
	// AttemptID is the attempt of the task.
	AttemptID AttemptID

	// TaskID is the task, which may be archived by now.
	TaskID TaskID

	// Number counts the tries of the task, from 1.
	Number int

	// FullName is the full name of the task.
	FullName string

	// AgentID is the agent that had the try.
	AgentID string

	// ReadyAt is when the task became ready for this try.
	ReadyAt time.Time

	// ClaimedAt is when the agent got the task.
	ClaimedAt time.Time

	// StartedAt is when the agent began to run it. Zero if it never did.
	StartedAt time.Time

	// EndedAt is when the try ended.
	EndedAt time.Time

	// Exit is how it ended: one of the Exit kinds.
	Exit string

	// LastLines are the last lines of output of a failure or retry, at most 20.
	LastLines []string

	// Links lead to pages about what the try has started or used outside. Empty for none.
	Links []Link

	// Usage is what the commands of the try have used. Zero if nobody measured it.
	Usage Usage
}

// Usage is what the commands of a try have used. A figure that nobody measured is zero.
type Usage struct {
	PeakMemory   int64         // bytes that all processes of the try had at the same time
	CPUTime      time.Duration // processor time of all of them together
	BytesWritten int64         // bytes that they wrote to files
}

// Add counts a further command of the same try, which ran after those that are counted.
func (u *Usage) Add(command Usage) {
	u.PeakMemory = max(u.PeakMemory, command.PeakMemory)
	u.CPUTime += command.CPUTime
	u.BytesWritten += command.BytesWritten
}

// ErrorObject returns the error object of a failure (language X33): the message with its kind in parentheses,
// and a trace, which is the message unless one is given. Workflows match on the message.
func ErrorObject(message, kind string, trace ...string) *param.Map {
	if kind != "" {
		message += " (" + kind + ")"
	}
	if len(trace) == 0 {
		trace = []string{message}
	}
	return param.Of("message", message, "stacktrace", strings.Join(trace, ", "))
}
