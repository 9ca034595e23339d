package trowel

import (
	"context"
	"time"
)

// AttemptSearch selects attempts by what people look for, newest first.
type AttemptSearch struct {
	Status      string      // a word of AttemptFlags.Status; empty for all
	Project     ProjectID   // zero for all
	Workflow    string      // the exact name; needs Project; empty for all
	CreatedFrom time.Time   // only those made at this instant or later; zero for all
	CreatedTo   time.Time   // only those made before this instant; zero for all
	LastOnly    bool        // only the last attempt of each session
	Ascending   bool        // oldest first
	After       *AttemptKey // where the page begins: after this attempt; nil for the first page
	Limit       int         // the largest number of results, 1 or more
	MaxBytes    int         // the page ends with the attempt with which it reaches this size; zero for no limit
}

// AttemptKey is the place of an attempt in a search, after which the next page begins.
type AttemptKey struct {
	CreatedAt time.Time // when the attempt was made
	ID        AttemptID // the attempt
}

// SearchTx is the part of a transaction about searches.
type SearchTx interface {
	// SearchAttempts returns the attempts of a page, and whether more follow. What it reads grows with the
	// page, not with the number of attempts. With LastOnly it also reads the attempts of the page's time that are
	// not the last of their session.
	SearchAttempts(ctx context.Context, q AttemptSearch) (page []*AttemptSummary, more bool, err error)
}
