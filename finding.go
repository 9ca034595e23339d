package trowel

import "context"

// Finding is something that a push has found in a revision and accepted: a warning for its author.
type Finding struct {
	File    string `json:"file"`   // slash path from the project's root; "." for the project itself
	Line    int    `json:"line"`   // from 1; 0 if it is about the file as a whole
	Column  int    `json:"column"` // from 1, in characters
	Rule    string `json:"rule"`   // what kind of mistake it is, for programs
	Message string `json:"message"`
	Source  string `json:"source"`         // the line itself, or its beginning
	Hint    string `json:"hint,omitempty"` // how to mend it
}

// Findings are those of one revision, by file and place.
type Findings struct {
	Total int       // how many were found
	List  []Finding // the first of them, see MaxFindings
}

// MaxFindings is how many findings of a revision are kept.
const MaxFindings = 200

// FindingTx is the part of a transaction about findings.
type FindingTx interface {
	// InsertFindings stores what was found in a new revision, once.
	InsertFindings(ctx context.Context, revision RevisionID, f Findings) error
	// FindFindings returns what was found in a revision; nothing of one that was stored without.
	FindFindings(ctx context.Context, revision RevisionID) (Findings, error)
}
