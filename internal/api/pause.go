package api

// WorkflowState says whether a workflow is paused.
type WorkflowState struct {
	Project  IDName `json:"project"`
	Workflow string `json:"workflow"`
	Paused   *Pause `json:"paused"`  // nil if it is not
	Running  int    `json:"running"` // attempts that have begun and are not done
	Waiting  int    `json:"waiting"` // attempts that have not begun; at most 100 are counted
}

// Pause says that a workflow is paused: none of its attempts begins.
type Pause struct {
	At   string `json:"at"`   // when it was paused, in UTC with milliseconds
	By   string `json:"by"`   // who paused it
	Note string `json:"note"` // what they wrote about the reason
}
