package api

// TaskPlace is where a task is written.
type TaskPlace struct {
	Task  TaskRef `json:"task"`
	Place string  `json:"place"` // file:line:column
}

// TaskPlaceList has the tasks of an attempt whose place is known, by id.
type TaskPlaceList struct {
	Items List[TaskPlace] `json:"items"`
}
