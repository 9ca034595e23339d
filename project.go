package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Project is a folder of workflow files with a name.
type Project struct {
	ID        ProjectID
	Name      string // stays when the project is deleted; another one may then have it
	CreatedAt time.Time
	DeletedAt time.Time // zero while it lives
}

// Revision is one version of a project. It never changes.
type Revision struct {
	ID        RevisionID
	ProjectID ProjectID
	Name      string
	Params    *param.Map // parameters of every attempt of the revision (language L64)
	Archive   Archive
	UserInfo  *param.Map // what the authenticator said about who pushed it (server 3.6)
	Actor     string     // who pushed it
	CreatedAt time.Time
}

// Archive says where the files of a revision are.
type Archive struct {
	Type      string // "db", "file", "s3", "gcs", "azure", or ArchiveNone
	Key       string // of the blob
	MD5       []byte // of its bytes; 16 bytes, nil with "none"
	SizeBytes int64  // negative if it is not known, as of one that a migration found in a bucket
}

// ArchiveNone is the type of revisions of a project that stays in its folder.
const ArchiveNone = "none"

// Workflow is one workflow file of a revision.
type Workflow struct {
	ID         WorkflowID
	RevisionID RevisionID
	Name       string
	Zone       string     // time zone id as language L43 normalises it
	Definition *param.Map // the file without its time zone (language L40a)
	Origin     Origin     // where its tasks are written
}

// Definition is a workflow with what it belongs to.
type Definition struct {
	Project  Project
	Revision Revision
	Workflow Workflow
}

// ProjectRevision is a project with its newest revision.
type ProjectRevision struct {
	Project  Project
	Revision Revision
}

// ProjectFilter selects projects that are not deleted and have a revision, in the order of their
// ids.
type ProjectFilter struct {
	Only  ProjectID // this one, if it is among them; zero for all
	After ProjectID // only larger ids
	Name  string    // a part of the name; empty for all
	Limit int       // at most so many; none if it is negative
}

// WorkflowFilter selects workflows in the order of their ids.
type WorkflowFilter struct {
	// Revision selects those of one revision; zero for those of the newest revision of every
	// project that is not deleted.
	Revision   RevisionID
	Project    ProjectID // only those of this project; zero for all
	Name       string    // the exact name; empty for all
	Pattern    string    // a part of the name; empty for all
	OrProject  bool      // Pattern may also be a part of the project's name
	After      WorkflowID
	Descending bool // from the largest id on; After then means only smaller ones, if it is not zero
	Limit      int  // at most so many; none if it is negative
}

// ProjectTx is the part of a transaction about projects.
type ProjectTx interface {
	// InsertRevision stores a new revision with its workflows and gives them their ids. A live
	// project of that name is taken up and locked, or made. A name that the project has already is an
	// ErrTaken, with the project's id in p.
	InsertRevision(ctx context.Context, p *Project, r *Revision, workflows []*Workflow) error
	// FindProject returns the live project of that name.
	FindProject(ctx context.Context, name string) (*Project, error)
	// FindProjectByID returns a project, deleted or not.
	FindProjectByID(ctx context.Context, id ProjectID) (*Project, error)
	// DeleteProject marks a live project as deleted, with its schedules and secrets. The name is free
	// again; revisions, sessions and attempts stay.
	DeleteProject(ctx context.Context, id ProjectID, at time.Time) error
	ListProjects(ctx context.Context, f ProjectFilter) ([]ProjectRevision, error)
	// FindRevision returns the revision of that name, the newest one if name is empty.
	FindRevision(ctx context.Context, project ProjectID, name string) (*Revision, error)
	// ListRevisions returns up to limit revisions, newest first, with ids smaller than before unless
	// that is zero.
	ListRevisions(ctx context.Context, project ProjectID, before RevisionID, limit int) ([]*Revision, error)
	// FindWorkflow returns the workflow of that name in the newest revision of a project.
	FindWorkflow(ctx context.Context, project ProjectID, name string) (*Workflow, *Revision, error)
	// FindDefinition returns any stored workflow, also of a deleted project.
	FindDefinition(ctx context.Context, id WorkflowID) (*Definition, error)
	ListWorkflows(ctx context.Context, f WorkflowFilter) ([]*Definition, error)
}
