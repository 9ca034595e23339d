package api

import "github.com/trowel-project/trowel/internal/param"

// Workflow is RestWorkflowDefinition: a workflow of one revision.
type Workflow struct {
	ID       ID         `json:"id"`
	Name     string     `json:"name"`
	Project  IDName     `json:"project"`
	Revision string     `json:"revision"` // name of the revision
	Timezone string     `json:"timezone"` // id of the time zone
	Config   *param.Map `json:"config"`   // content of the file without its time zone
}

// WorkflowCollection is RestWorkflowDefinitionCollection.
type WorkflowCollection struct {
	Workflows List[Workflow] `json:"workflows"`
}

// WorkflowSessionTime is RestWorkflowSessionTime: a time cut off in the zone of a workflow.
type WorkflowSessionTime struct {
	Project     IDName     `json:"project"`
	Revision    string     `json:"revision"` // name of the revision
	SessionTime OffsetTime `json:"sessionTime"`
	Timezone    string     `json:"timezone"` // id of the time zone
}
