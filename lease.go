package trowel

import (
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Lease is an agent's right to one try of a task, with all that the try needs. Nobody changes it
// once it is given out, as its maps are shared.
type Lease struct {
	// TaskID is the task to run.
	TaskID TaskID

	// AttemptID is the attempt of the task.
	AttemptID AttemptID

	// Try is the number of the try, from 1.
	Try int

	// AgentID is the agent for which the task was claimed.
	AgentID string

	// FullName is the full name of the task, such as "+load+fetch".
	FullName string

	// Context is what the attempt belongs to.
	Context *AttemptContext

	// AttemptName is the Name of the attempt. Empty for the unnamed one.
	AttemptName string

	// AttemptCreatedAt is the CreatedAt of the attempt, which is part of the place of its logs (server 5.1).
	AttemptCreatedAt time.Time

	// Zone is the time zone of the attempt's dates in templates.
	Zone *time.Location

	// Scope is what templates see: all parameters and built-ins, not evaluated (language P3).
	Scope *param.Map

	// Local has the task's own keys, not evaluated.
	Local *param.Map

	// StateParams are what the operator kept at the end of its last try. Empty at the first one.
	StateParams *param.Map

	// RetryCount is the RetryCount of the task: how often it was woken up for a retry or poll.
	RetryCount int

	// Job reports whether a job that StateParams names goes on outside, or may go on (TaskHasJob).
	Job bool

	// Cancel reports whether the try does nothing but cancel that job, because the task was killed.
	Cancel bool

	// StartedAt is when the first try of the task was claimed.
	StartedAt time.Time

	// Limits are what the commands of the task may use, as it asks for. Nil for nothing; the bounds of the agent hold too.
	Limits *CommandLimits
}

// ID returns the id of the try.
func (l *Lease) ID() TryID { return TryID{l.TaskID, l.Try} }

// Outcome says how a try ended. Operators report what happened, and the engine decides which state follows.
type Outcome uint8

const (
	// OutcomeSuccess comes with a Result.
	OutcomeSuccess Outcome = iota + 1
	// OutcomePoll asks to run the task again after RetryIn, with StateParams.
	OutcomePoll
	// OutcomeRetry asks for the same because of a failure, which Error describes.
	OutcomeRetry
	// OutcomeFailure comes with an Error.
	OutcomeFailure
	// OutcomeReleased gives the task back because the agent was stopped before the try ended. The task runs
	// again, and this does not count as one of the operator's retries (language X59a).
	OutcomeReleased
)

// Report is what an agent says at the end of a try.
type Report struct {
	// TaskID is the task that ran.
	TaskID TaskID

	// AttemptID is the attempt of the task.
	AttemptID AttemptID

	// Try is the number of the try, from 1.
	Try int

	// Outcome says how the try ended.
	Outcome Outcome

	// Result is what an OutcomeSuccess leaves behind. Empty for other outcomes.
	Result Result

	// Origin is where the body of Result.Subtasks is written, if the operator read it from a file. Else empty.
	Origin Origin

	// RetryIn is how long to wait before the next try, for OutcomePoll and OutcomeRetry.
	RetryIn time.Duration

	// StateParams are what the operator keeps for its next try.
	StateParams *param.Map

	// Job reports whether a job that StateParams names goes on outside, or may go on, after an OutcomePoll or
	// OutcomeRetry (TaskHasJob). With an OutcomeFailure of a killed task it says that the job could not be canceled.
	Job bool

	// Error is the error object (language X33) of a failure, or of the reason for a retry. Nil without one.
	Error *param.Map

	// StartedAt is when the agent began the try. Zero if it never did.
	StartedAt time.Time

	// EndedAt is when the try ended.
	EndedAt time.Time

	// LastLines are the last lines of output of a failure or retry, at most 20.
	LastLines []string

	// Links lead to pages about what the try has started or used outside. Empty for none.
	Links []Link

	// Usage is what the commands of the try have used. Zero if nobody measured it.
	Usage Usage

	// Masked are the places in Result and StateParams that contain a secret which the try was given.
	Masked Masked

	// Answer, unless it is nil, is called once: with nil when the report is stored, with an ErrConflict if
	// the try is not the present one of its task, or with another error. It must not block.
	Answer func(error)

	// Logs are the last pieces of the try's output, which are not stored yet. They are stored together
	// with the end of the try.
	Logs []LogChunk
}

// ID returns the id of the try.
func (r *Report) ID() TryID { return TryID{r.TaskID, r.Try} }
