package reason

import (
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Reason is one reason for which a task does not run.
type Reason struct {
	Code  trowel.WaitCode
	Text  string    // one sentence without a full stop, with names
	Since time.Time // zero if nobody knows
	// Fields are those of the code, see Codes; never nil.
	Fields *param.Map
	// At is when it ends by itself; zero if that is not known.
	At time.Time
	// Next is the task whose own reason is behind this one; zero for none.
	Next trowel.TaskID
	// Blockers are the things that keep it, the first few.
	Blockers []Blocker
	// Offers are what a person can do about it.
	Offers []Offer
}

// Blocker is a thing that a task waits for.
type Blocker struct {
	Kind    string // "task", "attempt", "session", "pool", "queue", "agent" or "workflow"
	Attempt trowel.AttemptID
	Task    trowel.TaskID
	ID      string // of what is no task or attempt
	Name    string
	Detail  string // in a few words: its state, what it holds
}

// Offer is an action that exists.
type Offer struct {
	Action string // one of the Action constants
	Label  string // the command that does it
}

// Actions of offers.
const (
	ActionUnpause = "unpause_workflow"
	ActionKill    = "kill_attempt"
	ActionRetry   = "retry_attempt"
	ActionSetPool = "set_pool"
	ActionUndrain = "undrain_agent"
	ActionSecret  = "set_secret"
)

// Facts are what is known about an attempt at one instant.
type Facts struct {
	Now     time.Time
	Attempt *trowel.Attempt
	Project string
	// Workflow is that of the attempt, and Control are its limits.
	Workflow trowel.WorkflowName
	Control  trowel.Control
	// Tree has the tasks that are asked about, those above them, and those that these wait for.
	Tree *Tree
	// Admission is why the attempt has not begun; nil unless it waits.
	Admission *Admission
	// KilledBy is who killed the attempt; empty if nobody knows.
	KilledBy string
	// Market is what ready tasks compete for; needed if one is asked about.
	Market *Market
	// LastTry is the last ended try of the task that is asked about; may be nil.
	LastTry *trowel.Try
}

// Explain returns all reasons for which a task does not run, the first one first (control K818). A task that
// runs or is done has none.
func Explain(t *trowel.Task, f *Facts) []Reason {
	switch t.State {
	case trowel.TaskBlocked:
		return blocked(t, f)
	case trowel.TaskReady:
		return ready(t, f)
	case trowel.TaskRetryWaiting:
		return []Reason{retryWaiting(t, f)}
	case trowel.TaskGroupRetryWaiting:
		return []Reason{groupRetryWaiting(t, f)}
	case trowel.TaskDeferred:
		return []Reason{plain(trowel.WaitDeferred, t, "waits for a trigger")}
	case trowel.TaskAwaitingInput:
		return []Reason{plain(trowel.WaitAwaitingInput, t, "waits for an answer")}
	case trowel.TaskPlanned:
		return []Reason{planned(t, f)}
	case trowel.TaskRunning, trowel.TaskGroupError, trowel.TaskSuccess, trowel.TaskError, trowel.TaskCanceled, trowel.TaskSkipped:
	}
	return nil
}

func plain(code trowel.WaitCode, t *trowel.Task, text string) Reason {
	return Reason{Code: code, Text: text, Since: t.UpdatedAt, Fields: param.New()}
}

// attemptDone reports whether nothing of the attempt goes on.
func (f *Facts) attemptDone() bool { return f.Attempt.Flags&trowel.AttemptDone != 0 }

// clock writes an instant for people, in the zone of the attempt.
func (f *Facts) clock(at time.Time) string {
	zone, err := time.LoadLocation(f.Attempt.Zone)
	if err != nil {
		zone = time.UTC
	}
	return at.In(zone).Format("2006-01-02 15:04:05 -0700")
}
