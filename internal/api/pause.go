package api

// WorkflowState says whether a workflow is paused (ui.md, A24).
type WorkflowState struct {
	Project  IDName `json:"project"`
	Workflow string `json:"workflow"`
	Paused   *Pause `json:"paused"`  // nil if it is not
	Running  int    `json:"running"` // attempts that have begun
	Waiting  int    `json:"waiting"` // attempts that have not; 100 stands for as many or more
}

// Pause says since when nothing new of a workflow begins.
type Pause struct {
	At   string `json:"at"`
	By   string `json:"by"`
	Note string `json:"note"`
}
