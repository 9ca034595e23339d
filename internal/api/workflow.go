package api

import "github.com/trowel-project/trowel/internal/param"

// Workflow is RestWorkflowDefinition: a workflow of one revision.
type Workflow struct {
	ID       ID         `json:"id"`
	Name     string     `json:"name"`
	Project  IDName     `json:"project"`
	Revision string     `json:"revision"`
	Timezone string     `json:"timezone"`
	Config   *param.Map `json:"config"`
}

// WorkflowCollection is RestWorkflowDefinitionCollection.
type WorkflowCollection struct {
	Workflows List[Workflow] `json:"workflows"`
}

// WorkflowSessionTime is RestWorkflowSessionTime: a time cut off in the zone of a workflow.
type WorkflowSessionTime struct {
	Project     IDName     `json:"project"`
	Revision    string     `json:"revision"`
	SessionTime OffsetTime `json:"sessionTime"`
	Timezone    string     `json:"timezone"`
}
