package api

import (
	"encoding/json"

	"github.com/trowel-project/trowel/internal/param"
)

// Reason is why a task does not run. It is written as one object: code, text and since, and the fields of the code, which
// docs/why.md lists. Instants are in UTC with milliseconds.
type Reason struct {
	Code   *string    `json:"code"`  // nil for a task that runs or is done
	Text   string     `json:"text"`  // a sentence for people
	Since  *string    `json:"since"` // when it began to hold; nil if that is not known
	Fields *param.Map `json:"-"`     // the fields of the code; nil for none
}

// MarshalJSON writes the reason with its fields beside the others.
func (r Reason) MarshalJSON() ([]byte, error) {
	m := param.Of("code", orNull(r.Code), "text", r.Text, "since", orNull(r.Since))
	m.MergeDefaults(r.Fields)
	return []byte(param.JSON(m)), nil
}

func orNull(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Reason) UnmarshalJSON(data []byte) error {
	var own struct {
		Code  *string `json:"code"`
		Text  string  `json:"text"`
		Since *string `json:"since"`
	}
	if err := json.Unmarshal(data, &own); err != nil {
		return err
	}
	fields, err := param.ParseMap(string(data))
	if err != nil {
		return err
	}
	for _, key := range []string{"code", "text", "since"} {
		fields.Delete(key)
	}
	*r = Reason{Code: own.Code, Text: own.Text, Since: own.Since, Fields: fields}
	return nil
}

// Why says why a task, or an attempt, does not run (docs/why.md): its first reason, and what is known besides.
type Why struct {
	Code     *string       `json:"code"`  // nil if it runs or is done
	Text     string        `json:"text"`  // the first reason in a sentence
	Since    *string       `json:"since"` // when it began to hold; nil if that is not known
	Attempt  ID            `json:"attempt"`
	Task     *TaskRef      `json:"task"`     // nil for an attempt without tasks
	Place    *string       `json:"place"`    // where the task is written: file:line:column; nil if that is not known
	State    string        `json:"state"`    // the task's stateDetail, or the status of the attempt
	Blockers List[Blocker] `json:"blockers"` // the first few things that it waits for
	Next     WhyNext       `json:"next"`     // when the first reason ends by itself
	Reasons  List[Reason]  `json:"reasons"`  // all reasons that hold, the first one first
	// Chain goes from the task to what is behind it: what it waits for waits for what. It ends at a task that
	// runs or has ended, or at something that a person can change or that comes by itself.
	Chain  List[WhyLink] `json:"chain"`
	Offers List[Offer]   `json:"offers"` // what a person can do about anything in the chain
}

// SessionWhy says why a session has no attempt (docs/why.md).
type SessionWhy struct {
	Code        *string     `json:"code"`        // nil if it has one
	Text        string      `json:"text"`        // a sentence
	Since       *string     `json:"since"`       // when it was decided; nil if that is not known
	SessionTime string      `json:"sessionTime"` // in UTC
	Attempt     *ID         `json:"attempt"`     // the newest attempt of the session; nil if it has none
	Next        WhyNext     `json:"next"`        // when it will be tried
	Offers      List[Offer] `json:"offers"`      // what a person can do
}

// AttemptWhy is a Why of an attempt.
type AttemptWhy struct {
	Why
	// ByCode counts the waiting tasks of the attempt by their first reason.
	ByCode List[CodeCount] `json:"byCode"`
}

// WhyNext says when a reason ends by itself. Both fields are nil if that is not known.
type WhyNext struct {
	At         *string `json:"at"`         // the exact instant, such as that of a retry
	EstimateAt *string `json:"estimateAt"` // an estimate; not given yet
}

// WhyLink is one link of a chain of reasons.
type WhyLink struct {
	Attempt ID       `json:"attempt"`
	Task    *TaskRef `json:"task"`  // nil for an attempt as a whole
	State   string   `json:"state"` // as in Why
	Reason  Reason   `json:"reason"`
}

// TaskRef names a task.
type TaskRef struct {
	ID   ID     `json:"id"`
	Name string `json:"name"` // full name of the task
}

// Blocker is something that a task or attempt waits for.
type Blocker struct {
	Kind   string  `json:"kind"` // "task", "attempt", "workflow", "pool", "queue" or "agent"
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Path   *string `json:"path"`   // path of its document on the server; nil if it has none
	Detail string  `json:"detail"` // what there is to say about it, in a few words
}

// Offer is something that a person can do about a reason.
type Offer struct {
	Action  string `json:"action"`  // "unpause_workflow", "kill_attempt", "retry_attempt", "set_pool", "undrain_agent", "set_secret", "enable_schedule" or "start_attempt"
	Label   string `json:"label"`   // the command that does it
	Allowed bool   `json:"allowed"` // the caller may do it
}

// CodeCount is how many tasks wait for the same reason.
type CodeCount struct {
	Code   string  `json:"code"`
	Arg    string  `json:"arg"` // name of what they wait for; empty if it has none
	Count  int     `json:"count"`
	Sample TaskRef `json:"sample"` // the first of them
}

// TaskReason is the first reason of a task.
type TaskReason struct {
	Task        TaskRef `json:"task"`
	StateDetail string  `json:"stateDetail"` // as in TaskDetail
	Reason      Reason  `json:"reason"`
}

// TaskReasonList is a page of reasons.
type TaskReasonList struct {
	Items List[TaskReason] `json:"items"`
	Next  *string          `json:"next"` // names the next page; nil on the last one
}

// TaskDetail is a Task with what Trowel knows besides (control K219).
type TaskDetail struct {
	Task
	StateDetail string        `json:"stateDetail"` // the state with Trowel's own words, such as "not_reached"
	Place       *string       `json:"place"`       // where it is written: file:line:column; nil if that is not known
	Reason      *Reason       `json:"reason"`      // why it does not run; nil if it runs or is done
	Try         int           `json:"try"`         // number of the present or last try; zero before the first
	ReadyAt     *string       `json:"readyAt"`     // when it last became ready
	ClaimedAt   *string       `json:"claimedAt"`   // when an agent last took it
	Agent       *string       `json:"agent"`       // who runs or ran the last try
	Effective   *Effective    `json:"effective"`   // its options with all values evaluated; nil before it was ready
	Tries       List[TaskTry] `json:"tries"`       // ended tries in the order of their numbers
	Links       List[Link]    `json:"links"`       // those of all ended tries, each once
	Usage       *Usage        `json:"usage"`       // what the commands of all ended tries have used; nil if nobody measured it
}

// Effective has the options of a task that say when and where it runs.
type Effective struct {
	Queue          string           `json:"queue"`
	Labels         List[string]     `json:"labels"` // what an agent must have
	Pools          List[TaskPool]   `json:"pools"`
	PriorityWeight int              `json:"priorityWeight"` // after the weight rule, without aging
	Concurrency    *TaskConcurrency `json:"concurrency"`    // nil without a limit
	Limits         *CommandLimits   `json:"limits"`         // what its commands may use; nil if it asks for no limits
}

// TaskPool is a number of slots that a task takes from a pool.
type TaskPool struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`
}

// TaskConcurrency limits how many tasks that share a key run at the same time.
type TaskConcurrency struct {
	Key            string `json:"key"`
	Limit          int    `json:"limit"`
	Per            string `json:"per"`            // "workflow", "attempt", "project" or "site"
	OnLimit        string `json:"onLimit"`        // "wait" or "fail"
	IncludeWaiting bool   `json:"includeWaiting"` // a task keeps its place while it waits for a retry or poll
}

// TaskTry is one ended try of a task.
type TaskTry struct {
	Try       int          `json:"try"` // number of the try, from 1
	Agent     *string      `json:"agent"`
	ReadyAt   *string      `json:"readyAt"`
	ClaimedAt *string      `json:"claimedAt"`
	StartedAt *string      `json:"startedAt"` // when the agent began to run it; nil if it never did
	EndedAt   *string      `json:"endedAt"`
	Exit      string       `json:"exit"`      // "success", "error", "retry", "poll", "canceled" or "lost"
	LastLines List[string] `json:"lastLines"` // last lines of output of a failure or retry, at most 20
	Links     List[Link]   `json:"links"`     // pages about what it has started or used outside
	Usage     *Usage       `json:"usage"`     // what its commands have used; nil if nobody measured it
}
