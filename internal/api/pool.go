package api

// Pool is the document of a pool (docs/pools.md). Instants are in UTC with milliseconds.
type Pool struct {
	ID              ID           `json:"id"`
	Name            string       `json:"name"`
	Project         *IDName      `json:"project"`         // the only project whose tasks may use it; nil for all
	Slots           int          `json:"slots"`           // 0: nothing starts; -1: no limit
	Used            int          `json:"used"`            // slots in use
	Open            *int         `json:"open"`            // free slots; nil without limit; negative if the pool was shrunk
	Waiting         int          `json:"waiting"`         // ready tasks that name it
	Deferred        int          `json:"deferred"`        // deferred tasks that name it
	IncludeDeferred bool         `json:"includeDeferred"` // tasks keep their slots while they are deferred
	OldestWaitMS    *int64       `json:"oldestWaitMs"`    // how long the oldest ready task has been ready; nil if none is ready
	Description     string       `json:"description"`
	UpdatedAt       string       `json:"updatedAt"`
	UpdatedBy       string       `json:"updatedBy"` // who changed it last
	Expect          string       `json:"expect"`    // names the present state of its settings, for conditional writes
	Can             List[string] `json:"can"`       // what the caller may do with it
}

// PoolList is a page of pools.
type PoolList struct {
	Items   List[Pool]        `json:"items"`
	Next    *string           `json:"next"`    // names the next page; nil on the last one
	Missing List[MissingPool] `json:"missing"` // pools that ready tasks name although they do not exist
}

// MissingPool is a pool that does not exist although ready tasks wait for it.
type MissingPool struct {
	Name         string `json:"name"`
	ProjectID    ID     `json:"projectId"`    // the project of the tasks
	Waiting      int    `json:"waiting"`      // how many tasks wait
	OldestWaitMS *int64 `json:"oldestWaitMs"` // how long the oldest of them has been ready
}

// PoolRequest asks to make or change a pool. Fields that are missing leave it as it is; a new pool needs slots.
type PoolRequest struct {
	Slots           *int    `json:"slots"`
	Description     *string `json:"description"`
	IncludeDeferred *bool   `json:"includeDeferred"`
	Note            string  `json:"note"`   // the reason, for the audit
	DryRun          bool    `json:"dryRun"` // only say what would happen
	Expect          string  `json:"expect"` // refuse unless the pool is in this state; empty for any state
}

// PoolChange says what a write of a pool did, or would do.
type PoolChange struct {
	Pool      Pool         `json:"pool"`      // the pool after the change; a deleted one as it was
	Action    string       `json:"action"`    // "create", "update", "delete" or "none"
	DryRun    bool         `json:"dryRun"`    // nothing was changed
	Expect    string       `json:"expect"`    // names the state before, so that a write can insist on what this preview showed
	Startable int          `json:"startable"` // how many waiting tasks the open slots have room for
	Notes     List[string] `json:"notes"`     // sentences about what follows for the tasks that hold slots or wait for them
}

// PoolTask is a task that holds slots of a pool, or waits for them. If the caller may not see its project, names are
// empty and ids 0.
type PoolTask struct {
	ID        ID      `json:"id"`
	FullName  string  `json:"fullName"`
	AttemptID ID      `json:"attemptId"`
	Project   IDName  `json:"project"`
	Workflow  string  `json:"workflow"`
	State     string  `json:"state"`
	Slots     int     `json:"slots"`  // how many slots it holds or waits for
	Weight    int     `json:"weight"` // effective priority weight
	Queue     string  `json:"queue"`
	ReadyAt   string  `json:"readyAt"`
	StartedAt *string `json:"startedAt"` // when it was claimed; nil while it waits
	Agent     *string `json:"agent"`     // id of the agent that runs it; nil while it waits
	Position  *int    `json:"position"`  // place among the waiting tasks, from 1; nil while it runs
	// ExpectedAt is when it gives its slots back, or gets them, if the tasks that hold slots take as long as in the last successful
	// attempts of their workflows. Nil if that cannot be told, and for one that has run for longer.
	ExpectedAt *string `json:"expectedAt"`
}

// PoolTaskList is a page of tasks of a pool.
type PoolTaskList struct {
	Items List[PoolTask] `json:"items"`
	Next  *string        `json:"next"` // names the next page; nil on the last one
}
