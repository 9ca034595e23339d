package trowel

import (
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Lease is an agent's right to one try of a task, with all that the try needs. It is not changed
// once it is given out; its maps are shared.
type Lease struct {
	TaskID    TaskID
	AttemptID AttemptID
	Try       int
	AgentID   string // in whose name it was claimed
	FullName  string
	Setting   *Setting
	// AttemptName and AttemptCreatedAt are those of the attempt; with Setting and Zone they say where
	// the log of the try belongs (server 5.1).
	AttemptName      string
	AttemptCreatedAt time.Time
	// Zone is the time zone of the attempt's dates in templates.
	Zone *time.Location
	// Scope is what templates see: all parameters and built-ins, not evaluated (language P3). Local
	// are the task's own keys, not evaluated.
	Scope       *param.Map
	Local       *param.Map
	StateParams *param.Map
	RetryCount  int
	StartedAt   time.Time // of the first try
}

// ID names the try.
func (l *Lease) ID() TryID { return TryID{l.TaskID, l.Try} }

// Outcome says how a try ended. An operator says what happened; which state follows is the
// engine's matter.
type Outcome uint8

const (
	// OutcomeSuccess carries a Result.
	OutcomeSuccess Outcome = iota + 1
	// OutcomePoll asks to be run again after RetryIn with StateParams.
	OutcomePoll
	// OutcomeRetry asks the same because of a failure.
	OutcomeRetry
	// OutcomeFailure carries an Error.
	OutcomeFailure
	// OutcomeReleased gives the task back, to be run anew: the agent was stopped before its end. It
	// does not count as one of the operator's retries (language X59a).
	OutcomeReleased
)

// Report is what an agent says at the end of a try.
type Report struct {
	TaskID      TaskID
	AttemptID   AttemptID
	Try         int
	Outcome     Outcome
	Result      Result
	Origin      Origin // where the body of Result.Subtasks is written, if the operator read a file; else empty
	RetryIn     time.Duration
	StateParams *param.Map
	Error       *param.Map // error object (language X33) of a failure or of what a retry is for
	StartedAt   time.Time
	EndedAt     time.Time
	LastLines   []string // of a failure or retry: the last lines of output, at most 20
	// Masked are the places of the parameters above that have a secret which the try was given.
	Masked Masked
	// Answer, if it is not nil, is called once with nil when the report is stored, with an ErrConflict if
	// the try is not the present one of its task, or with another error. It must not block.
	Answer func(error)
	// Logs are the last pieces of the try's output, those that are not stored yet. They are stored
	// with the end of the try.
	Logs []LogChunk
}

// ID names the try.
func (r *Report) ID() TryID { return TryID{r.TaskID, r.Try} }
