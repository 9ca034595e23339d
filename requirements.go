package trowel

// The pool and the queue of tasks that name none (control K802, K817).
const (
	DefaultPool  = "default"
	DefaultQueue = "default"
)

// Requirements are what a ready task needs before an agent may take it, with all values evaluated
// (control K802 to K823). Nil means one slot of DefaultPool, DefaultQueue and weight 1.
type Requirements struct {
	// Queue is the queue whose agents may take the task. Empty for DefaultQueue.
	Queue string `json:"queue,omitempty"`

	// Labels are what an agent must have, all of them. Sorted; empty for none.
	Labels []string `json:"labels,omitempty"`

	// Pools are the slots that the task takes, sorted by the name of the pool. Empty for one slot of DefaultPool.
	Pools []PoolRequirement `json:"pools,omitempty"`

	// Weight is the effective priority weight, after the weight rule. Nil for 1.
	Weight *int `json:"weight,omitempty"`

	// Concurrency is the task's concurrency limit. Nil for none.
	Concurrency *Concurrency `json:"concurrency,omitempty"`

	// Limits are what the commands of the task may use. Nil for no limits but those of the agent.
	Limits *CommandLimits `json:"limits,omitempty"`

	// Container says that the task asks for a container. It is set only together with Limits.
	Container bool `json:"container,omitempty"`
}

// PoolRequirement is a number of slots of a pool.
type PoolRequirement struct {
	Name  string `json:"name"`  // the name of the pool
	Slots int    `json:"slots"` // 1 or more
}

// Concurrency limits how many tasks that share a key have begun and are not done (control K810).
type Concurrency struct {
	// Limit is the largest number of such tasks, 1 or more.
	Limit int `json:"limit"`

	// Per is where tasks share the key: one of the Per constants.
	Per string `json:"per"`

	// Key is the full name of the task, unless the workflow gives another key.
	Key string `json:"key"`

	// Fail makes the task fail when there is no room, instead of waiting (control K811).
	Fail bool `json:"fail,omitempty"`

	// RunningOnly makes the task give its place back while it waits (include_waiting: false).
	RunningOnly bool `json:"running_only,omitempty"`
}

// Where tasks share the key of a Concurrency.
const (
	PerWorkflow = "workflow" // in all attempts of the workflow
	PerAttempt  = "attempt"  // in one attempt
	PerProject  = "project"  // in all workflows of the project
	PerSite     = "site"     // everywhere
)

// QueueName returns the queue of a task with these needs.
func (n *Requirements) QueueName() string {
	if n == nil || n.Queue == "" {
		return DefaultQueue
	}
	return n.Queue
}

// PriorityWeight returns the effective weight of a task with these needs, without aging.
func (n *Requirements) PriorityWeight() int {
	if n == nil || n.Weight == nil {
		return 1
	}
	return *n.Weight
}

// PoolRequirements returns the pool slots that a task with these needs takes. There is at least one.
func (n *Requirements) PoolRequirements() []PoolRequirement {
	if n == nil || len(n.Pools) == 0 {
		return []PoolRequirement{{DefaultPool, 1}}
	}
	return n.Pools
}
