package api

// TreeItem is a task as pages of an attempt show it. Instants have milliseconds.
type TreeItem struct {
	ID         *ID            `json:"id"`       // nil for a task that is yet to be made
	Name       string         `json:"name"`     // its own part of the full name
	FullName   string         `json:"fullName"` // names from the root, such as "+main+load"
	ParentID   *ID            `json:"parentId"` // nil for the root, and below a task that is yet to be made
	Depth      int            `json:"depth"`    // how many tasks are above it
	Index      int            `json:"index"`    // its place among its siblings as written, from 0
	Kind       string         `json:"kind"`     // group, operator, generated (made at run time) or planned (yet to be made)
	Operator   *string        `json:"operator"` // such as "sh"; nil for a group
	State      string         `json:"state"`    // as stateDetail of a task; for a planned one "planned"
	Canceling  bool           `json:"canceling"`
	Try        int            `json:"try"` // the present or last one, from 1; 0 before the first
	ReadyAt    *string        `json:"readyAt"`
	ClaimedAt  *string        `json:"claimedAt"`
	StartedAt  *string        `json:"startedAt"`  // of the first try; for a group of its first task
	FinishedAt *string        `json:"finishedAt"` // nil until it is done
	RetryAt    *string        `json:"retryAt"`    // when a waiting task is due
	Upstreams  List[ID]       `json:"upstreams"`  // siblings that must succeed first
	Children   int            `json:"children"`   // how many tasks are directly below it
	ToMake     int            `json:"toMake"`     // how many tasks it is known to make at run time, directly below it
	Counts     map[string]int `json:"counts"`     // all tasks below that are no groups, by state; {} for none
	Agent      *string        `json:"agent"`      // who has or had the last try
	Reason     *Reason        `json:"reason"`     // why it does not run; nil if it runs or is done, or its tasks run
	HasLog     bool           `json:"hasLog"`     // it has run, so there may be output
	Reused     bool           `json:"reused"`     // the success of an earlier attempt stands for it
	Matches    bool           `json:"matches"`    // the filter fits it, not only tasks below it
	File       *string        `json:"file"`       // where it is written; nil if that is not known
	Line       *int           `json:"line"`
	Tries      *List[TreeTry] `json:"tries"` // its ended tries; nil unless they are asked for
}

// TreeTry is one ended try of a task: when it was ready, claimed, started and ended, and how it ended (success, error, retry,
// poll, canceled or lost). An instant that is not known is nil.
type TreeTry = List[*string]

// TreePage is a page of the tasks of an attempt.
type TreePage struct {
	Items   List[TreeItem] `json:"items"`
	Next    *string        `json:"next"`    // names the next page; nil on the last one
	Total   Total          `json:"total"`   // how many tasks match
	Version int64          `json:"version"` // of the attempt, at least: it grows with each change
	Status  string         `json:"status"`  // of the attempt
	Tasks   int            `json:"tasks"`   // all tasks of the attempt
}

// Total is a number of things, or a bound of it.
type Total struct {
	Value int  `json:"value"`
	Exact bool `json:"exact"`
}
