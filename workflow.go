package trowel

import (
	"context"

	"github.com/trowel-project/trowel/internal/param"
)

// Workflow is one workflow file of a revision.
type Workflow struct {
	// ID is zero until the revision is stored.
	ID WorkflowID

	// RevisionID is the revision of the file.
	RevisionID RevisionID

	// Name is the name of the file without ".dig".
	Name string

	// Zone is the id of its time zone, as language L43 normalises it.
	Zone string

	// Definition is the content of the file without its time zone (language L40a).
	Definition *param.Map

	// Origin is where its tasks are written. Empty if it is not known.
	Origin Origin
}

// WorkflowName names a workflow of a project in all its revisions.
type WorkflowName struct {
	ProjectID ProjectID // the project
	Name      string    // the name of the workflow
}

// Definition is a workflow with what it belongs to.
type Definition struct {
	Project  Project  // the project, deleted or not
	Revision Revision // the revision of the workflow
	Workflow Workflow // the workflow itself
}

// WorkflowLimits are the limits that a workflow sets for itself (control K104, K813). Zero means no limit.
type WorkflowLimits struct {
	ActiveAttempts   int  // how many attempts may be admitted and not done
	RejectAttempts   bool // refuse attempts above ActiveAttempts, instead of letting them wait
	TasksPerAttempt  int  // how many tasks of one attempt may run at the same time
	TasksPerWorkflow int  // how many tasks of all its attempts may run at the same time
}

// WorkflowFilter selects workflows in the order of their ids.
type WorkflowFilter struct {
	Revision   RevisionID // only those of this revision; zero for those of the newest revision of each live project
	Project    ProjectID  // only those of this project; zero for all
	Name       string     // the exact name; empty for all
	Pattern    string     // a part of the name; empty for all
	OrProject  bool       // Pattern may also be a part of the project's name
	After      WorkflowID // only larger ids; zero for all
	Descending bool       // largest id first; After, unless it is zero, then means only smaller ids
	Limit      int        // the largest number of results; negative for no limit
}

// WorkflowTx is the part of a transaction about workflows.
type WorkflowTx interface {
	// FindWorkflow returns the workflow of that name in the newest revision of a project.
	FindWorkflow(ctx context.Context, project ProjectID, name string) (*Workflow, *Revision, error)
	// FindDefinition returns any stored workflow, also of a deleted project.
	FindDefinition(ctx context.Context, id WorkflowID) (*Definition, error)
	// ListWorkflows returns the workflows that a filter selects.
	ListWorkflows(ctx context.Context, f WorkflowFilter) ([]*Definition, error)
}
