package api

// Queue is the document of a queue (ui.md, A43).
type Queue struct {
	Name          string `json:"name"`
	Ready         int    `json:"ready"`
	Running       int    `json:"running"`
	Agents        int    `json:"agents"` // that serve it and take tasks
	Slots         *int   `json:"slots"`  // of these agents; nil if one of them has no limit
	OldestReadyMS *int64 `json:"oldestReadyMs"`
	// P50MS, P99MS and RatePerMin are of the tasks that went to agents in the last 5 minutes, from all servers: within
	// how many milliseconds half of them and 99 of 100 did after they had become ready, and how many did in a
	// minute. Nil if there were none.
	P50MS      *float64 `json:"p50Ms"`
	P99MS      *float64 `json:"p99Ms"`
	RatePerMin *float64 `json:"ratePerMin"`
}

// QueueList is the queues that agents serve or tasks name.
type QueueList struct {
	Items List[Queue] `json:"items"`
	Next  *string     `json:"next"`
}
