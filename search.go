package trowel

import (
	"context"
	"time"
)

// AttemptSearch selects attempts by what people look for, in the order in which they were made.
type AttemptSearch struct {
	Status   string    // as AttemptFlags.Status; empty for all
	Project  ProjectID // zero for all
	Workflow string    // the exact name; needs Project; empty for all
	// CreatedFrom and CreatedTo bound when they were made: From is part of it, To is not. Zero for no bound.
	CreatedFrom, CreatedTo time.Time
	LastOnly               bool // only the last attempt of each session
	Ascending              bool // the oldest first
	After                  *AttemptKey
	Limit                  int // at most so many, 1 or more
	// MaxBytes ends the page early, behind the attempt with which it has so many bytes; zero for no bound.
	MaxBytes int
}

// AttemptKey is the place of an attempt in a search, where the next page goes on.
type AttemptKey struct {
	CreatedAt time.Time
	ID        AttemptID
}

// SearchTx is the part of a transaction about searches.
type SearchTx interface {
	// SearchAttempts returns the attempts of a page, and whether more come after it. What it reads grows with the
	// page, not with the number of attempts there are; with LastOnly also with those that are not the last of their
	// session.
	SearchAttempts(ctx context.Context, q AttemptSearch) (page []*AttemptSummary, more bool, err error)
}
