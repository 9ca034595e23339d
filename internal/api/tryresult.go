package api

// Link leads to a page about what a try has started or used outside, such as the page of a job.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"` // http or https
}

// Usage is what the commands of a try have used. A figure that nobody measured is missing.
type Usage struct {
	PeakMemoryBytes int64 `json:"peakMemoryBytes,omitempty"` // what all its processes had at the same time
	CPUTimeMs       int64 `json:"cpuTimeMs,omitempty"`       // processor time of all of them together
	BytesWritten    int64 `json:"bytesWritten,omitempty"`    // what they wrote to files
}

// TaskOutside is what the ended tries of a task tell about what they have started, and used.
type TaskOutside struct {
	Task  TaskRef    `json:"task"`
	Links List[Link] `json:"links"` // each once
	Usage *Usage     `json:"usage"` // nil if nobody measured it
}

// TaskOutsideList has the tasks of an attempt with links or usage, by id.
type TaskOutsideList struct {
	Items List[TaskOutside] `json:"items"`
}
