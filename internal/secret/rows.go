package secret

import (
	"context"

	trowel "github.com/trowel-project/trowel"
)

// RowsIn returns the secrets in a database.
func RowsIn(store trowel.Store) Rows { return storedRows{store} }

// storedRows reads secrets, each in a transaction of its own.
type storedRows struct{ store trowel.Store }

// FindSecret implements Rows.
func (s storedRows) FindSecret(ctx context.Context, project trowel.ProjectID, scope, key string) (found *trowel.Secret, err error) {
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		found, err = tx.FindSecret(ctx, project, scope, key)
		return err
	})
	return found, err
}

// SecretsBound implements Rows.
func (s storedRows) SecretsBound(ctx context.Context) (bound bool, err error) {
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		bound, err = tx.SecretsBound(ctx)
		return err
	})
	return bound, err
}
