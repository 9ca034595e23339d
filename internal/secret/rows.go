package secret

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
)

// RowsIn returns the secrets in a database.
func RowsIn(store trowel.Store) Rows { return storedRows{store} }

// storedRows reads secrets, each in a transaction of its own.
type storedRows struct{ store trowel.Store }

// FindSecret implements Rows. That there is none is no failure of the transaction, whose connection is kept.
func (s storedRows) FindSecret(ctx context.Context, project trowel.ProjectID, scope, key string) (found *trowel.Secret, err error) {
	var none error
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		found, none = tx.FindSecret(ctx, project, scope, key)
		if errors.Is(none, trowel.ErrNotFound) {
			return nil
		}
		return none
	})
	if err == nil {
		err = none
	}
	return found, err
}

// ListProjectSecrets implements Rows.
func (s storedRows) ListProjectSecrets(ctx context.Context, project trowel.ProjectID, limit int) (list []*trowel.Secret, err error) {
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		list, err = tx.ListProjectSecrets(ctx, project, limit)
		return err
	})
	return list, err
}

// SecretsBound implements Rows.
func (s storedRows) SecretsBound(ctx context.Context) (bound bool, err error) {
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		bound, err = tx.SecretsBound(ctx)
		return err
	})
	return bound, err
}
