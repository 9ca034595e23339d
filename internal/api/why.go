package api

import (
	"encoding/json"

	"github.com/trowel-project/trowel/internal/param"
)

// Reason is a reason for which a task does not run. It is written as one object: code, text and since, and
// the fields of the code, which docs/why.md lists. Instants are in UTC with milliseconds.
type Reason struct {
	Code  *string `json:"code"` // nil for a task that runs or is done
	Text  string  `json:"text"`
	Since *string `json:"since"`
	// Fields are those of the code; nil is none.
	Fields *param.Map `json:"-"`
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

// Why says why a task, or an attempt, does not run (ui.md, A30): its first reason, and what is known besides.
type Why struct {
	Code    *string  `json:"code"` // nil if it runs or is done
	Text    string   `json:"text"`
	Since   *string  `json:"since"`
	Attempt ID       `json:"attempt"`
	Task    *TaskRef `json:"task"`  // nil of an attempt without tasks
	Place   *string  `json:"place"` // where the task is written: file:line:column; nil if that is not known
	State   string   `json:"state"` // that of the task as stateDetail, or the status of the attempt
	// Blockers are the things that keep it, the first few.
	Blockers List[Blocker] `json:"blockers"`
	Next     WhyNext       `json:"next"`
	// Reasons are all that hold, the first one first.
	Reasons List[Reason] `json:"reasons"`
	// Chain goes from the task to what is behind it: what it waits for waits for what. It ends at a task that
	// runs or has ended, or at something that a person can change or that comes by itself.
	Chain List[WhyLink] `json:"chain"`
	// Offers are what can be done about all of the chain.
	Offers List[Offer] `json:"offers"`
}

// AttemptWhy is a Why of an attempt.
type AttemptWhy struct {
	Why
	// ByCode counts the waiting tasks of the attempt by their first reason.
	ByCode List[CodeCount] `json:"byCode"`
}

// WhyNext is when a reason ends by itself.
type WhyNext struct {
	At         *string `json:"at"`
	EstimateAt *string `json:"estimateAt"`
}

// WhyLink is a reason on the way to the cause of another one.
type WhyLink struct {
	Attempt ID       `json:"attempt"`
	Task    *TaskRef `json:"task"`
	State   string   `json:"state"`
	Reason  Reason   `json:"reason"`
}

// TaskRef names a task.
type TaskRef struct {
	ID   ID     `json:"id"`
	Name string `json:"name"` // its full name
}

// Blocker is a thing that something waits for.
type Blocker struct {
	Kind   string  `json:"kind"` // "task", "attempt", "workflow", "pool", "queue" or "agent"
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Path   *string `json:"path"` // below the address of the server, where it can be asked for
	Detail string  `json:"detail"`
}

// Offer is something that a person can do about a reason.
type Offer struct {
	Action  string `json:"action"` // "unpause_workflow", "kill_attempt", "retry_attempt", "set_pool", "undrain_agent" or "set_secret"
	Label   string `json:"label"`  // the command that does it
	Allowed bool   `json:"allowed"`
}

// CodeCount is how many tasks wait for one reason.
type CodeCount struct {
	Code   string  `json:"code"`
	Arg    string  `json:"arg"` // what they wait for, if it has a name
	Count  int     `json:"count"`
	Sample TaskRef `json:"sample"` // the first of them
}

// TaskReason is the first reason of a task.
type TaskReason struct {
	Task        TaskRef `json:"task"`
	StateDetail string  `json:"stateDetail"`
	Reason      Reason  `json:"reason"`
}

// TaskReasonList is a page of reasons.
type TaskReasonList struct {
	Items List[TaskReason] `json:"items"`
	Next  *string          `json:"next"`
}

// TaskDetail is a task with what Trowel knows besides (control K219).
type TaskDetail struct {
	Task
	// StateDetail is the state with Trowel's own words, such as "not_reached".
	StateDetail string `json:"stateDetail"`
	// Place is where it is written: file:line:column; nil if that is not known.
	Place *string `json:"place"`
	// Reason is why it does not run; nil if it runs or is done.
	Reason *Reason `json:"reason"`
	// Try is the number of the present or last try; zero before the first.
	Try       int     `json:"try"`
	ReadyAt   *string `json:"readyAt"`
	ClaimedAt *string `json:"claimedAt"`
	// Agent is who runs or ran the last try.
	Agent *string `json:"agent"`
	// Effective are the options of the task with all values evaluated; nil before it was ready.
	Effective *Effective    `json:"effective"`
	Tries     List[TaskTry] `json:"tries"` // that have ended, in their order
}

// Effective are the options of a task that say when and where it runs.
type Effective struct {
	Queue          string           `json:"queue"`
	Labels         List[string]     `json:"labels"`
	Pools          List[TaskPool]   `json:"pools"`
	PriorityWeight int              `json:"priorityWeight"`
	Concurrency    *TaskConcurrency `json:"concurrency"`
}

// TaskPool is what a task takes of a pool.
type TaskPool struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`
}

// TaskConcurrency is a limit of tasks that share a key.
type TaskConcurrency struct {
	Key            string `json:"key"`
	Limit          int    `json:"limit"`
	Per            string `json:"per"`
	OnLimit        string `json:"onLimit"` // "wait" or "fail"
	IncludeWaiting bool   `json:"includeWaiting"`
}

// TaskTry is one ended execution of a task.
type TaskTry struct {
	Try       int          `json:"try"`
	Agent     *string      `json:"agent"`
	ReadyAt   *string      `json:"readyAt"`
	ClaimedAt *string      `json:"claimedAt"`
	StartedAt *string      `json:"startedAt"`
	EndedAt   *string      `json:"endedAt"`
	Exit      string       `json:"exit"`      // "success", "error", "retry", "poll", "canceled" or "lost"
	LastLines List[string] `json:"lastLines"` // of a failure
}
