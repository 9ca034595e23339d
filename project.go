package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Project is a folder of workflow files that is known to the server under a name.
type Project struct {
	ID        ProjectID
	Name      string
	CreatedAt time.Time
}

// Revision is one version of a project. It is never changed once it is stored.
type Revision struct {
	ID        RevisionID
	ProjectID ProjectID
	Name      string
	Params    *param.Map // parameters of every attempt of the revision (language L64)
	CreatedAt time.Time
}

// Workflow is one workflow file of a revision.
type Workflow struct {
	ID         WorkflowID
	RevisionID RevisionID
	Name       string
	Zone       string     // time zone id as language L43 normalises it
	Definition *param.Map // the file without its time zone (language L40a)
}

// ProjectTx reads and writes projects, revisions and workflows.
type ProjectTx interface {
	// InsertRevision stores a new revision with its workflows and gives them their ids. A project
	// of that name is taken up, or made.
	InsertRevision(ctx context.Context, p *Project, r *Revision, workflows []*Workflow) error
	// FindWorkflow returns the workflow of that name in the newest revision of a project.
	FindWorkflow(ctx context.Context, project ProjectID, name string) (*Workflow, *Revision, error)
	// FindProject returns the project of that name.
	FindProject(ctx context.Context, name string) (*Project, error)
}
