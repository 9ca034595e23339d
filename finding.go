package trowel

import "context"

// Finding is a mistake or risk in a revision that a push reported and accepted: a warning for its author.
type Finding struct {
	// File is the slash path of the file from the project's root. It is "." for the project itself.
	File string `json:"file"`

	// Line is the number of the line, from 1. Zero if the finding is about the file as a whole.
	Line int `json:"line"`

	// Column is the place in the line, in characters, from 1. Zero if Line is.
	Column int `json:"column"`

	// Rule names the kind of mistake, for programs.
	Rule string `json:"rule"`

	// Message says what is wrong, in a sentence.
	Message string `json:"message"`

	// Source is the line itself, or its beginning. Empty if Line is zero.
	Source string `json:"source"`

	// Hint says how to mend it. Empty if nobody knows.
	Hint string `json:"hint,omitempty"`
}

// Findings are what a push found in one revision, sorted by file and place.
type Findings struct {
	Total int       // how many were found
	List  []Finding // the first of them, at most MaxFindings
}

// MaxFindings is how many findings of a revision are kept.
const MaxFindings = 200

// FindingTx is the part of a transaction about findings.
type FindingTx interface {
	// InsertFindings stores what was found in a new revision. It must be called at most once for a revision.
	InsertFindings(ctx context.Context, revision RevisionID, f Findings) error
	// FindFindings returns what was found in a revision. It is empty if nothing was stored.
	FindFindings(ctx context.Context, revision RevisionID) (Findings, error)
}
