package trowel

// DefaultPool and DefaultQueue are those of tasks that name none (control K802, K817).
const (
	DefaultPool  = "default"
	DefaultQueue = "default"
)

// Needs are what a ready task asks for before an agent may take it, with all values evaluated
// (control K802 to K817). Nil is the same as DefaultNeeds.
type Needs struct {
	Queue       string       `json:"queue,omitempty"`  // empty for DefaultQueue
	Labels      []string     `json:"labels,omitempty"` // an agent must have all of them; sorted
	Pools       []PoolNeed   `json:"pools,omitempty"`  // sorted by name; empty for one slot of DefaultPool
	Weight      *int         `json:"weight,omitempty"` // effective priority weight, after the weight rule; nil for 1
	Concurrency *Concurrency `json:"concurrency,omitempty"`
}

// PoolNeed is a number of slots of a pool; 1 or more.
type PoolNeed struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`
}

// Concurrency bounds how many tasks that share a key are begun and not done (control K810).
type Concurrency struct {
	Limit int    `json:"limit"`
	Per   string `json:"per"` // one of the Per constants
	Key   string `json:"key"` // the full name of the task, unless the workflow gives another
	// Fail tells that the task fails when there is no room, instead of waiting (control K811).
	Fail bool `json:"fail,omitempty"`
	// RunningOnly tells that a task gives its place back while it waits (include_waiting: false).
	RunningOnly bool `json:"running_only,omitempty"`
}

// Scopes of a Concurrency.
const (
	PerWorkflow = "workflow"
	PerAttempt  = "attempt"
	PerProject  = "project"
	PerSite     = "site"
)

// QueueName returns the queue of a task.
func (n *Needs) QueueName() string {
	if n == nil || n.Queue == "" {
		return DefaultQueue
	}
	return n.Queue
}

// PriorityWeight returns the effective weight of a task, without aging.
func (n *Needs) PriorityWeight() int {
	if n == nil || n.Weight == nil {
		return 1
	}
	return *n.Weight
}

// PoolNeeds returns the pool slots of a task; never none.
func (n *Needs) PoolNeeds() []PoolNeed {
	if n == nil || len(n.Pools) == 0 {
		return []PoolNeed{{DefaultPool, 1}}
	}
	return n.Pools
}

// Control are the limits that a workflow sets for itself (control K104, K813); zero is none.
type Control struct {
	// ActiveAttempts is how many attempts may be admitted and not done.
	ActiveAttempts int
	// RejectAttempts tells that an attempt above ActiveAttempts is refused, instead of waiting.
	RejectAttempts bool
	// TasksPerAttempt and TasksPerWorkflow are how many tasks may run at the same time.
	TasksPerAttempt  int
	TasksPerWorkflow int
}
