package trowel

import (
	"context"
	"time"
)

// Token lets its bearer use the REST API. The token itself is not stored, only its hash.
type Token struct {
	ID         TokenID
	Name       string
	Hash       []byte    // SHA-256 of the token
	Role       string    // see package access
	ProjectID  ProjectID // the only project that it is for; zero for all
	Actor      string    // who made it
	CreatedAt  time.Time
	LastUsedAt time.Time // zero if never; to the minute
	ExpiresAt  time.Time // zero if never
	RevokedAt  time.Time // zero if it is not
}

// TokenTx is the part of a transaction about tokens.
type TokenTx interface {
	// InsertToken stores a new token and gives it its id.
	InsertToken(ctx context.Context, t *Token) error
	// FindToken returns the token with that hash, revoked and expired ones as well.
	FindToken(ctx context.Context, hash []byte) (*Token, error)
	// ListTokens returns all tokens in the order of their ids.
	ListTokens(ctx context.Context) ([]*Token, error)
	// UpdateToken writes when a token was used last and when it was revoked.
	UpdateToken(ctx context.Context, t *Token) error
	// TouchToken writes when a token was used, and nothing else.
	TouchToken(ctx context.Context, id TokenID, at time.Time) error
}
