package api

// Agent is the document of an agent (docs/agents.md). Instants are in UTC with milliseconds.
type Agent struct {
	ID          string       `json:"id"`   // unique among all agents that ever were
	Name        string       `json:"name"` // what people know it by; several agents may share it
	Host        string       `json:"host"`
	Version     string       `json:"version"` // the version of Trowel that it runs
	Queues      List[string] `json:"queues"`  // the queues that it serves, never empty
	Labels      List[string] `json:"labels"`  // what it offers to tasks that require labels
	Limits      KeptLimits   `json:"limits"`  // limits of commands that it keeps, and its bounds
	Slots       *int         `json:"slots"`   // how many tries it runs at the same time; nil without limit
	Used        int          `json:"used"`    // how many tries it runs now
	Remote      bool         `json:"remote"`  // a process of its own, which a server serves over HTTP
	Server      string       `json:"server"`  // id of the server that gives it tasks
	StartedAt   string       `json:"startedAt"`
	HeartbeatAt string       `json:"heartbeatAt"` // when the server last heard from it
	LeaseEndsAt string       `json:"leaseEndsAt"` // when its tasks go to others unless a heartbeat renews the lease
	DrainedAt   *string      `json:"drainedAt"`   // when somebody told it to take no new tasks; nil if nobody did
	State       string       `json:"state"`       // "live", "late", "dead", "draining", "drained" or "resting"
	RestReason  *string      `json:"restReason"`  // why it takes no new tasks for a while; nil if it takes them
	Can         List[string] `json:"can"`         // what the caller may do with it
}

// AgentList is a page of agents.
type AgentList struct {
	Items List[Agent] `json:"items"`
	Next  *string     `json:"next"` // names the next page; nil on the last one
}

// AgentTask is a task that an agent runs.
type AgentTask struct {
	ID        ID     `json:"id"`
	FullName  string `json:"fullName"`
	AttemptID ID     `json:"attemptId"`
	Project   IDName `json:"project"`   // the project of the task
	Workflow  string `json:"workflow"`  // the name of the workflow
	Try       int    `json:"try"`       // number of the try, from 1
	StartedAt string `json:"startedAt"` // when the agent got the task
}

// AgentTaskList is a page of the tasks that an agent runs.
type AgentTaskList struct {
	Items List[AgentTask] `json:"items"`
	Next  *string         `json:"next"` // names the next page; nil on the last one
}

// NoteRequest asks for a change that needs no further input.
type NoteRequest struct {
	Note string `json:"note"` // the reason, for the audit; may be empty
}
