package api

// Agent is the document of an agent (ui.md, A44). Instants are in UTC with milliseconds.
type Agent struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Host        string       `json:"host"`
	Version     string       `json:"version"`
	Queues      List[string] `json:"queues"`
	Labels      List[string] `json:"labels"`
	Slots       *int         `json:"slots"` // nil without limit
	Used        int          `json:"used"`
	Remote      bool         `json:"remote"`
	Server      string       `json:"server"` // the server that gives it tasks
	StartedAt   string       `json:"startedAt"`
	HeartbeatAt string       `json:"heartbeatAt"`
	LeaseEndsAt string       `json:"leaseEndsAt"`
	DrainedAt   *string      `json:"drainedAt"`
	State       string       `json:"state"`      // "live", "late", "dead", "draining", "drained" or "resting"
	RestReason  *string      `json:"restReason"` // why it takes nothing for a while; nil if it does not rest
	Can         List[string] `json:"can"`
}

// AgentList is a page of agents.
type AgentList struct {
	Items List[Agent] `json:"items"`
	Next  *string     `json:"next"`
}

// AgentTask is a task that an agent runs.
type AgentTask struct {
	ID        ID     `json:"id"`
	FullName  string `json:"fullName"`
	AttemptID ID     `json:"attemptId"`
	Project   IDName `json:"project"`
	Workflow  string `json:"workflow"`
	Try       int    `json:"try"`
	StartedAt string `json:"startedAt"`
}

// AgentTaskList is a page of such tasks.
type AgentTaskList struct {
	Items List[AgentTask] `json:"items"`
	Next  *string         `json:"next"`
}

// NoteRequest is a change that needs nothing but, maybe, a note for the audit.
type NoteRequest struct {
	Note string `json:"note"`
}
