package api

// Queue is the document of a queue.
type Queue struct {
	Name          string `json:"name"`
	Ready         int    `json:"ready"`         // ready tasks
	Running       int    `json:"running"`       // running tasks
	Agents        int    `json:"agents"`        // agents that serve it and take tasks
	Slots         *int   `json:"slots"`         // slots of these agents together; nil if one of them has no limit
	OldestReadyMS *int64 `json:"oldestReadyMs"` // how long the oldest ready task has been ready; nil if none is ready
	// P50MS, P99MS and RatePerMin are of the tasks that went to agents in the last 5 minutes, from all servers: within
	// how many milliseconds half of them and 99 of 100 did after they had become ready, and how many did in a
	// minute. Nil if there were none.
	P50MS      *float64 `json:"p50Ms"`
	P99MS      *float64 `json:"p99Ms"`
	RatePerMin *float64 `json:"ratePerMin"`
}

// QueueList has the queues that agents serve or tasks name.
type QueueList struct {
	Items List[Queue] `json:"items"`
	Next  *string     `json:"next"` // always nil: there is one page
}
