package api

// TasksEvent is the event "tasks" of a stream about one attempt (docs/rest.md, Events).
type TasksEvent struct {
	Rows  List[TaskChange] `json:"rows"`
	Stale List[ID]         `json:"stale"` // groups in which so much changed that their tasks must be read again
}

// TaskChange is what a stream sends about a task that changed.
type TaskChange struct {
	ID         ID       `json:"id"`
	State      string   `json:"state"` // Trowel's word: blocked, ready, skipped, ...
	Try        int      `json:"try"`   // number of the present or last try; 0 before the first
	StartedAt  *Instant `json:"startedAt"`
	FinishedAt *Instant `json:"finishedAt"`
}
