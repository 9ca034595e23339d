package api

import "github.com/trowel-project/trowel/internal/param"

// RetryRequest asks to run the workflow of an attempt again, for the same session.
type RetryRequest struct {
	Mode     string     `json:"mode"`     // what runs: "all", "failed" (what did not succeed) or "from" (a task and all after it)
	From     string     `json:"from"`     // the end of the full name of a task, for "from"
	Revision string     `json:"revision"` // "same", "latest" or the name of a revision; empty for "same"
	Params   *param.Map `json:"params"`   // merged over the parameters of the earlier attempt
	Name     string     `json:"name"`     // of the new attempt; empty for a random one
	Note     string     `json:"note"`     // the reason, for the audit
	DryRun   bool       `json:"dryRun"`   // only say what would happen
	Expect   string     `json:"expect"`   // refuse unless this is still what would happen; empty for whatever happens
}

// Retry says what a retry does, or would do.
type Retry struct {
	Attempt  *Attempt     `json:"attempt"`  // the new attempt; nil after a dry run
	Revision string       `json:"revision"` // the revision that it runs
	Run      RetriedTasks `json:"run"`      // tasks that run, or may run; without those that are generated on the way
	Reuse    RetriedTasks `json:"reuse"`    // tasks that count as done, with what they have stored
	Warnings List[string] `json:"warnings"`
	Expect   string       `json:"expect"` // names what would happen, for a conditional retry
}

// RetriedTasks are tasks of a new attempt.
type RetriedTasks struct {
	Count   int               `json:"count"`   // without groups
	ByState map[string]int    `json:"byState"` // how many of them had which state in the earlier attempt; "new" if it had no such task
	Items   List[RetriedTask] `json:"items"`   // the first 500, in the order of the workflow
}

// RetriedTask is a task of a new attempt.
type RetriedTask struct {
	FullName string  `json:"fullName"`
	IsGroup  bool    `json:"isGroup"`
	State    *string `json:"state"` // of the same task in the earlier attempt; nil if it had none
}
