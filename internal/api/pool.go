package api

// Pool is the document of a pool (ui.md, A42). Instants are in UTC with milliseconds.
type Pool struct {
	ID              ID           `json:"id"`
	Name            string       `json:"name"`
	Project         *IDName      `json:"project"` // whose tasks alone may use it; nil for all
	Slots           int          `json:"slots"`   // 0: nothing starts; -1: without limit
	Used            int          `json:"used"`
	Open            *int         `json:"open"`    // nil without limit; below 0 if the pool was shrunk
	Waiting         int          `json:"waiting"` // ready tasks that name it
	Deferred        int          `json:"deferred"`
	IncludeDeferred bool         `json:"includeDeferred"`
	OldestWaitMS    *int64       `json:"oldestWaitMs"` // how long the oldest ready task has been ready; nil if none is
	Description     string       `json:"description"`
	UpdatedAt       string       `json:"updatedAt"`
	UpdatedBy       string       `json:"updatedBy"`
	Expect          string       `json:"expect"` // names this state of its settings, for writes
	Can             List[string] `json:"can"`    // what the caller may do with it
}

// PoolList is a page of pools.
type PoolList struct {
	Items List[Pool] `json:"items"`
	Next  *string    `json:"next"`
	// Missing are pools that ready tasks name although there are none.
	Missing List[MissingPool] `json:"missing"`
}

// MissingPool is a pool that ready tasks wait for although there is none of that name.
type MissingPool struct {
	Name         string `json:"name"`
	ProjectID    ID     `json:"projectId"` // of the tasks
	Waiting      int    `json:"waiting"`
	OldestWaitMS *int64 `json:"oldestWaitMs"`
}

// PoolRequest asks to make or change a pool. What is missing stays as it is; a new pool needs slots.
type PoolRequest struct {
	Slots           *int    `json:"slots"`
	Description     *string `json:"description"`
	IncludeDeferred *bool   `json:"includeDeferred"`
	Note            string  `json:"note"` // for the audit
	DryRun          bool    `json:"dryRun"`
	Expect          string  `json:"expect"` // refused unless the pool is in this state; empty for any
}

// PoolChange says what a write of a pool did, or would do.
type PoolChange struct {
	Pool   Pool   `json:"pool"`   // as it is then; a deleted one as it was
	Action string `json:"action"` // "create", "update", "delete" or "none"
	DryRun bool   `json:"dryRun"`
	Expect string `json:"expect"` // names the state before, for a write that may only follow this preview
	// Startable is how many of the waiting tasks the open slots have room for.
	Startable int `json:"startable"`
	// Notes are sentences about what follows for the tasks that hold slots or wait for some.
	Notes List[string] `json:"notes"`
}

// PoolTask is a task that holds slots of a pool, or waits for some. Of one whose project the caller may not see
// names are empty, and ids 0.
type PoolTask struct {
	ID        ID      `json:"id"`
	FullName  string  `json:"fullName"`
	AttemptID ID      `json:"attemptId"`
	Project   IDName  `json:"project"`
	Workflow  string  `json:"workflow"`
	State     string  `json:"state"`
	Slots     int     `json:"slots"`
	Weight    int     `json:"weight"`
	Queue     string  `json:"queue"`
	ReadyAt   string  `json:"readyAt"`
	StartedAt *string `json:"startedAt"`
	Agent     *string `json:"agent"`    // id of the agent that runs it
	Position  *int    `json:"position"` // among those that wait, from 1; nil for one that runs
	// ExpectedAt is when it gives its slots back, or gets them, if the tasks that hold slots take as long as in the last successful
	// attempts of their workflows. Nil if that cannot be told, and for one that has run for longer.
	ExpectedAt *string `json:"expectedAt"`
}

// PoolTaskList is a page of such tasks.
type PoolTaskList struct {
	Items List[PoolTask] `json:"items"`
	Next  *string        `json:"next"`
}
