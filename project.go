package trowel

import (
	"context"
	"time"
)

// Project is a folder of workflow files with a name.
type Project struct {
	// ID is zero until the first revision is stored.
	ID ProjectID

	// Name is unique among the projects that are not deleted. A deleted project keeps it, and another may take it.
	Name string

	// CreatedAt is when the first revision was pushed.
	CreatedAt time.Time

	// DeletedAt is when the project was deleted. Zero while it is live.
	DeletedAt time.Time
}

// ProjectRevision is a project with its newest revision.
type ProjectRevision struct {
	Project  Project  // the project
	Revision Revision // its newest revision
}

// ProjectFilter selects projects that are not deleted and have a revision, in the order of their
// ids.
type ProjectFilter struct {
	Only  ProjectID // only this one; zero for all
	After ProjectID // only larger ids; zero for all
	Name  string    // a part of the name; empty for all
	Limit int       // the largest number of results; negative for no limit
}

// ProjectTx is the part of a transaction about projects.
type ProjectTx interface {
	// FindProject returns the live project of that name.
	FindProject(ctx context.Context, name string) (*Project, error)
	// FindProjectByID returns a project, deleted or not.
	FindProjectByID(ctx context.Context, id ProjectID) (*Project, error)
	// DeleteProject marks a live project as deleted, and deletes its schedules, secrets and pauses. Its name is
	// free again. Revisions, sessions and attempts stay.
	DeleteProject(ctx context.Context, id ProjectID, at time.Time) error
	// ListProjects returns the projects that a filter selects.
	ListProjects(ctx context.Context, f ProjectFilter) ([]ProjectRevision, error)
}
