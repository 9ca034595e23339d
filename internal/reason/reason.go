package reason

import (
	"strconv"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Reason is one reason why a task does not run.
type Reason struct {
	Code  trowel.WaitCode
	Text  string    // one sentence without a full stop, with names
	Since time.Time // zero if unknown
	// Fields are the fields of the code, see Codes; never nil.
	Fields *param.Map
	// At is when the reason ends by itself; zero if unknown.
	At time.Time
	// Next is the task whose own reason causes this one; zero for none.
	Next trowel.TaskID
	// Blockers are the first few things that the task waits for.
	Blockers []Blocker
	// Offers are what a person can do about it.
	Offers []Offer
}

// Blocker is a thing that a task waits for.
type Blocker struct {
	Kind    string // "task", "attempt", "session", "pool", "queue", "agent" or "workflow"
	Attempt trowel.AttemptID
	Task    trowel.TaskID
	ID      string // for kinds other than task and attempt
	Name    string
	Detail  string // a few words: its state, what it holds
}

// Offer is an action that is available.
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
	ActionEnable  = "enable_schedule"
	ActionStart   = "start_attempt"
)

// retryForm is the command that runs a session again; ATTEMPT stands for its attempt.
const retryForm = "trowel retry ATTEMPT --latest-revision --resume"

// OfferRetry offers to run what did not succeed in an attempt again.
func OfferRetry(id trowel.AttemptID) Offer {
	return Offer{ActionRetry, strings.Replace(retryForm, "ATTEMPT", strconv.FormatInt(int64(id), 10), 1)}
}

// Facts are what is known about an attempt at one time.
type Facts struct {
	Now     time.Time
	Attempt *trowel.Attempt
	Project string
	// Workflow is the attempt's workflow, and WorkflowLimits its limits.
	Workflow       trowel.WorkflowName
	WorkflowLimits trowel.WorkflowLimits
	// Tree has the tasks in question, their ancestors, and the upstreams of all these.
	Tree *Tree
	// Admission is why the attempt has not begun; nil unless it waits.
	Admission *Admission
	// KilledBy is who killed the attempt; empty if unknown.
	KilledBy string
	// Market is what ready tasks compete for; required if a ready task is in question.
	Market *Market
	// LastTry is the last ended try of the task in question; may be nil.
	LastTry *trowel.Try
}

// Explain returns all reasons why a task does not run, most important first (control K818). A running or done task has
// none.
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

// attemptDone reports whether the attempt has ended.
func (f *Facts) attemptDone() bool { return f.Attempt.Flags&trowel.AttemptDone != 0 }

// clock formats an instant for people, in the zone of the attempt.
func (f *Facts) clock(at time.Time) string {
	zone, err := time.LoadLocation(f.Attempt.Zone)
	if err != nil {
		zone = time.UTC
	}
	return at.In(zone).Format("2006-01-02 15:04:05 -0700")
}
