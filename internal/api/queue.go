package api

// Queue is the document of a queue (ui.md, A43).
type Queue struct {
	Name          string `json:"name"`
	Ready         int    `json:"ready"`
	Running       int    `json:"running"`
	Agents        int    `json:"agents"` // that serve it and take tasks
	Slots         *int   `json:"slots"`  // of these agents; nil if one of them has no limit
	OldestReadyMS *int64 `json:"oldestReadyMs"`
}

// QueueList is the queues that agents serve or tasks name.
type QueueList struct {
	Items List[Queue] `json:"items"`
	Next  *string     `json:"next"`
}
