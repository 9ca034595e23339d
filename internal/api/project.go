package api

import "github.com/trowel-project/trowel/internal/param"

// Project is RestProject: a project with its latest revision.
type Project struct {
	ID          ID       `json:"id"`
	Name        string   `json:"name"`
	Revision    string   `json:"revision"` // name of the latest revision
	CreatedAt   Instant  `json:"createdAt"`
	UpdatedAt   Instant  `json:"updatedAt"`   // when the latest revision was pushed
	DeletedAt   *Instant `json:"deletedAt"`   // always null: deleted projects are never shown
	ArchiveType string   `json:"archiveType"` // kind of storage, or "none"
	ArchiveMD5  []byte   `json:"archiveMd5"`  // 16 bytes, written as Base64; nil if there is no archive
}

// ProjectCollection is RestProjectCollection.
type ProjectCollection struct {
	Projects List[Project] `json:"projects"`
}

// Revision is RestRevision.
type Revision struct {
	Revision    string     `json:"revision"` // name of the revision
	CreatedAt   Instant    `json:"createdAt"`
	ArchiveType string     `json:"archiveType"`
	ArchiveMD5  []byte     `json:"archiveMd5"` // 16 bytes, written as Base64; nil if there is no archive
	UserInfo    *param.Map `json:"userInfo"`   // optional, but Digdag sends {} rather than null
}

// FindingCollection has the warnings of a push about one revision.
type FindingCollection struct {
	Revision string        `json:"revision"`
	Total    int           `json:"total"` // how many there are; at most 200 of them are kept
	Findings List[Finding] `json:"findings"`
}

// RevisionCollection is RestRevisionCollection.
type RevisionCollection struct {
	Revisions List[Revision] `json:"revisions"`
}
