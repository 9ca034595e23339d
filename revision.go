package trowel

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Revision is one version of a project. It never changes.
type Revision struct {
	// ID is zero until InsertRevision sets it.
	ID RevisionID

	// ProjectID is the project of the revision.
	ProjectID ProjectID

	// Name is unique in the project.
	Name string

	// Params are parameters of every attempt of the revision (language L64). Nil or empty for none.
	Params *param.Map

	// Archive is where the files of the revision are.
	Archive Archive

	// UserInfo is what the authenticator said about the pusher (server 3.6). Nil or empty for nothing.
	UserInfo *param.Map

	// Actor is who pushed the revision.
	Actor string

	// CreatedAt is when the revision was pushed.
	CreatedAt time.Time
}

// Archive says where the files of a revision are.
type Archive struct {
	Type      string // "db", "file", "s3", "gcs", "azure", or ArchiveNone
	Key       string // the key of the blob; empty with ArchiveNone
	MD5       []byte // the hash of the blob, 16 bytes; nil with ArchiveNone
	SizeBytes int64  // the size of the blob; negative if unknown, as for one that a migration found in a bucket
}

// ArchiveNone is the type of revisions of a project that stays in its folder.
const ArchiveNone = "none"

// RevisionTx is the part of a transaction about revisions.
type RevisionTx interface {
	// InsertRevision stores a new revision with its workflows and sets their ids. It locks the live project
	// of that name, or makes one. If the project has a revision of that name already, it returns ErrTaken, with
	// the project's id in p.
	InsertRevision(ctx context.Context, p *Project, r *Revision, workflows []*Workflow) error
	// FindRevision returns the revision of that name, the newest one if name is empty.
	FindRevision(ctx context.Context, project ProjectID, name string) (*Revision, error)
	// ListRevisions returns up to limit revisions, newest first, with ids smaller than before unless
	// that is zero.
	ListRevisions(ctx context.Context, project ProjectID, before RevisionID, limit int) ([]*Revision, error)
}
