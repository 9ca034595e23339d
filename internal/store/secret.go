package store

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	secretColumns = `project_id, scope, key, engine, value, actor, updated_at`

	sqlPutSecret = `INSERT INTO secret (` + secretColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (project_id, scope, key)
DO UPDATE SET engine = excluded.engine, value = excluded.value, actor = excluded.actor, updated_at = excluded.updated_at`
	sqlFindSecret   = `SELECT ` + secretColumns + ` FROM secret WHERE project_id = $1 AND scope = $2 AND key = $3`
	sqlDeleteSecret = `DELETE FROM secret WHERE project_id = $1 AND scope = $2 AND key = $3`
	sqlListSecrets  = `SELECT ` + secretColumns + ` FROM secret WHERE project_id = $1 AND scope = $2 ORDER BY key`
	// Without an order: the key of the table finds the rows, and the reader looks them up by name.
	sqlListProjectSecrets = `SELECT ` + secretColumns + ` FROM secret WHERE project_id = $1 LIMIT $2`

	sqlListAllSecrets      = `SELECT ` + secretColumns + ` FROM secret ORDER BY project_id, scope, key`
	sqlSecretsBound        = `SELECT bound FROM secret_form`
	sqlAllowUnboundSecrets = `UPDATE secret_form SET bound = FALSE`
	sqlBindSecrets         = `UPDATE secret_form SET bound = TRUE`
)

func (t *tx) PutSecret(ctx context.Context, s *trowel.Secret) error {
	if _, err := t.exec(ctx, sqlPutSecret, s.ProjectID, s.Scope, s.Key, s.Engine, s.Value, s.Actor, micros(s.UpdatedAt)); err != nil {
		return fmt.Errorf("put secret %q: %w", s.Key, err)
	}
	return nil
}

func (t *tx) FindSecret(ctx context.Context, project trowel.ProjectID, scope, key string) (*trowel.Secret, error) {
	s, err := first(t.secrets(ctx, sqlFindSecret, project, scope, key))
	if err != nil {
		return nil, fmt.Errorf("find secret %q: %w", key, err)
	}
	return s, nil
}

func (t *tx) DeleteSecret(ctx context.Context, project trowel.ProjectID, scope, key string) (deleted bool, err error) {
	rows, err := t.exec(ctx, sqlDeleteSecret, project, scope, key)
	if err != nil {
		return false, fmt.Errorf("delete secret %q: %w", key, err)
	}
	return rows > 0, nil
}

func (t *tx) ListSecrets(ctx context.Context, project trowel.ProjectID, scope string) ([]*trowel.Secret, error) {
	list, err := t.secrets(ctx, sqlListSecrets, project, scope)
	if err != nil {
		return nil, fmt.Errorf("list secrets of project %d: %w", project, err)
	}
	return list, nil
}

func (t *tx) ListProjectSecrets(ctx context.Context, project trowel.ProjectID, limit int) ([]*trowel.Secret, error) {
	list, err := t.secrets(ctx, sqlListProjectSecrets, project, limit)
	if err != nil {
		return nil, fmt.Errorf("list secrets of project %d: %w", project, err)
	}
	return list, nil
}

func (t *tx) ListAllSecrets(ctx context.Context) ([]*trowel.Secret, error) {
	list, err := t.secrets(ctx, sqlListAllSecrets)
	if err != nil {
		return nil, fmt.Errorf("list all secrets: %w", err)
	}
	return list, nil
}

func (t *tx) SecretsBound(ctx context.Context) (bool, error) { return t.secretForm(ctx, "") }

func (t *tx) KeepSecretForm(ctx context.Context) (bool, error) {
	return t.secretForm(ctx, t.dialect.LockShared)
}

func (t *tx) LockSecretForm(ctx context.Context) error {
	_, err := t.secretForm(ctx, t.dialect.LockRows)
	return err
}

func (t *tx) secretForm(ctx context.Context, lock string) (bound bool, err error) {
	if err := t.row(ctx, sqlSecretsBound+lock, nil, &bound); err != nil {
		return false, fmt.Errorf("read the form of secrets: %w", err)
	}
	return bound, nil
}

func (t *tx) BindSecrets(ctx context.Context) error {
	if _, err := t.exec(ctx, sqlBindSecrets); err != nil {
		return fmt.Errorf("set the form of secrets: %w", err)
	}
	return nil
}

func (t *tx) secrets(ctx context.Context, query string, args ...any) ([]*trowel.Secret, error) {
	var list []*trowel.Secret
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		s := &trowel.Secret{}
		var updated sql.NullInt64
		err := scan(&s.ProjectID, &s.Scope, &s.Key, &s.Engine, &s.Value, &s.Actor, &updated)
		s.UpdatedAt = instant(updated)
		list = append(list, s)
		return err
	})
	return list, err
}
