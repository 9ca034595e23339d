package trowel

import (
	"context"
	"time"
)

// Token lets its bearer use the REST API. Only its hash is stored, not the token itself.
type Token struct {
	// ID is zero until InsertToken sets it.
	ID TokenID

	// Name is what people call the token.
	Name string

	// Hash is the SHA-256 of the token.
	Hash []byte

	// Role says what the bearer may do, see package access.
	Role string

	// ProjectID is the only project that the token is for. Zero for all.
	ProjectID ProjectID

	// Actor is who made the token.
	Actor string

	// CreatedAt is when the token was made.
	CreatedAt time.Time

	// LastUsedAt is when the token was last used, to the minute. Zero if it never was.
	LastUsedAt time.Time

	// ExpiresAt is when the token stops to work. Zero if it never does.
	ExpiresAt time.Time

	// RevokedAt is when somebody revoked the token. Zero if nobody did.
	RevokedAt time.Time
}

// TokenTx is the part of a transaction about tokens.
type TokenTx interface {
	// InsertToken stores a new token and sets its id.
	InsertToken(ctx context.Context, t *Token) error
	// FindToken returns the token with that hash, even if it is revoked or expired.
	FindToken(ctx context.Context, hash []byte) (*Token, error)
	// FindTokenByID is FindToken by id.
	FindTokenByID(ctx context.Context, id TokenID) (*Token, error)
	// ListTokens returns all tokens in the order of their ids.
	ListTokens(ctx context.Context) ([]*Token, error)
	// UpdateToken writes LastUsedAt and RevokedAt.
	UpdateToken(ctx context.Context, t *Token) error
	// TouchToken writes LastUsedAt alone.
	TouchToken(ctx context.Context, id TokenID, at time.Time) error
}
