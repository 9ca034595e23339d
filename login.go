package trowel

import (
	"context"
	"time"
)

// Login is a browser that somebody has signed in with. Only the hash of what the browser sends is stored.
type Login struct {
	// ID is zero until InsertLogin sets it.
	ID LoginID

	// Hash is the SHA-256 of what the browser sends.
	Hash []byte

	// User is the name of the user who signed in. Empty for a token.
	User string

	// Proof shows that user and password are still those of the sign-in, see package access. Nil for a token.
	Proof []byte

	// TokenID is the token that was used to sign in. Zero for a user.
	TokenID TokenID

	// Address is where the sign-in came from.
	Address string

	// Browser is what the browser says about itself.
	Browser string

	// CreatedAt is when the browser was signed in.
	CreatedAt time.Time

	// UsedAt is when the login was last used, to some minutes.
	UsedAt time.Time

	// EndsAt is when the login ends however much it is used.
	EndsAt time.Time
}

// LoginTx is the part of a transaction about signed-in browsers.
type LoginTx interface {
	// InsertLogin stores a new login and sets its id.
	InsertLogin(ctx context.Context, l *Login) error
	// FindLogin returns the login with that hash, even if it has ended.
	FindLogin(ctx context.Context, hash []byte) (*Login, error)
	// ListLogins returns the logins of a user, or of a token if its id is not zero, in the order of their ids.
	ListLogins(ctx context.Context, user string, token TokenID) ([]*Login, error)
	// TouchLogin sets UsedAt, unless it is later already.
	TouchLogin(ctx context.Context, id LoginID, at time.Time) error
	// DeleteLogin deletes a login. It returns ErrNotFound if there is none with that id.
	DeleteLogin(ctx context.Context, id LoginID) error
	// CountEndedLogins returns how many logins were last used before an instant, or had to end before now. DeleteEndedLogins
	// deletes up to limit of them, and returns their number.
	CountEndedLogins(ctx context.Context, usedBefore, now time.Time) (int, error)
	DeleteEndedLogins(ctx context.Context, usedBefore, now time.Time, limit int) (int, error)
}
