package secret

import (
	"context"
	"errors"
	"fmt"

	"github.com/trowel-project/trowel"
)

// Rows finds stored secrets.
type Rows interface {
	// FindSecret returns one secret of a project, or trowel.ErrNotFound.
	FindSecret(ctx context.Context, project trowel.ProjectID, scope, key string) (*trowel.Secret, error)
	// ListProjectSecrets returns the secrets of a project in all scopes, up to a limit.
	ListProjectSecrets(ctx context.Context, project trowel.ProjectID, limit int) ([]*trowel.Secret, error)
	// SecretsBound is the method of trowel.SecretTx.
	SecretsBound(ctx context.Context) (bool, error)
}

// Stored finds the secrets of one project of a server: first those that users set, then those that came
// with a push (server 3.7). It caches nothing, so the next task sees a changed secret.
// It is safe for concurrent use.
type Stored struct {
	rows    Rows
	crypter *Crypter
	project trowel.ProjectID
}

// NewStored returns the Finder of a project's secrets.
func NewStored(rows Rows, crypter *Crypter, project trowel.ProjectID) *Stored {
	return &Stored{rows: rows, crypter: crypter, project: project}
}

// Find implements Finder. The error is a *KeyError for an invalid key, or comes from Rows or
// Decrypt.
func (s *Stored) Find(ctx context.Context, key string) (Value, bool, error) {
	return s.findIn(ctx, key, func(scope string) (*trowel.Secret, error) {
		return s.rows.FindSecret(ctx, s.project, scope, key)
	})
}

// findIn finds a secret in the scopes, in their order. row returns the row of a scope, or trowel.ErrNotFound.
func (s *Stored) findIn(ctx context.Context, key string, row func(scope string) (*trowel.Secret, error)) (Value, bool, error) {
	if err := CheckKey(key); err != nil {
		return Value{}, false, err
	}
	for _, scope := range []string{trowel.SecretProject, trowel.SecretDefault} {
		found, err := row(scope)
		if errors.Is(err, trowel.ErrNotFound) {
			continue
		}
		var value Value
		if err == nil {
			value, err = s.open(ctx, Place{s.project, scope, key}, found)
		}
		if err != nil {
			return Value{}, false, fmt.Errorf("find secret %q of project %d: %w", key, s.project, err)
		}
		return value, true, nil
	}
	return Value{}, false, nil
}

// open decrypts the row of a place.
func (s *Stored) open(ctx context.Context, at Place, row *trowel.Secret) (Value, error) {
	if row.Engine != Engine {
		return Value{}, errEngine(row.Engine)
	}
	text, bound, err := s.crypter.Decrypt(at, row.Value)
	if err != nil || bound {
		return NewValue(text), err
	}
	allBound, err := s.rows.SecretsBound(ctx)
	if err != nil {
		return Value{}, err
	}
	if allBound {
		return Value{}, errUnbound()
	}
	return NewValue(text), nil
}
