package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	tokenColumns = `name, hash, role, project_id, actor, created_at, last_used_at, expires_at, revoked_at`

	sqlInsertToken = `INSERT INTO token (` + tokenColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`
	sqlFindToken   = `SELECT id, ` + tokenColumns + ` FROM token WHERE hash = $1`
	sqlFindTokenBy = `SELECT id, ` + tokenColumns + ` FROM token WHERE id = $1`
	sqlListTokens  = `SELECT id, ` + tokenColumns + ` FROM token ORDER BY id`
	sqlTouchToken  = `UPDATE token SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`
	sqlUpdateToken = `UPDATE token SET last_used_at = $2, revoked_at = $3 WHERE id = $1`
)

func (t *tx) InsertToken(ctx context.Context, token *trowel.Token) error {
	var project any
	if token.ProjectID != 0 {
		project = token.ProjectID
	}
	err := t.row(ctx, sqlInsertToken, []any{
		token.Name, token.Hash, token.Role, project, token.Actor,
		micros(token.CreatedAt), micros(token.LastUsedAt), micros(token.ExpiresAt), micros(token.RevokedAt),
	}, &token.ID)
	if err != nil {
		return fmt.Errorf("insert token %q: %w", token.Name, err)
	}
	return nil
}

func (t *tx) FindToken(ctx context.Context, hash []byte) (*trowel.Token, error) {
	token, err := first(t.tokens(ctx, sqlFindToken, hash))
	if err != nil {
		return nil, fmt.Errorf("find token: %w", err)
	}
	return token, nil
}

func (t *tx) FindTokenByID(ctx context.Context, id trowel.TokenID) (*trowel.Token, error) {
	token, err := first(t.tokens(ctx, sqlFindTokenBy, id))
	if err != nil {
		return nil, fmt.Errorf("find token %d: %w", id, err)
	}
	return token, nil
}

func (t *tx) ListTokens(ctx context.Context) ([]*trowel.Token, error) {
	list, err := t.tokens(ctx, sqlListTokens)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return list, nil
}

func (t *tx) tokens(ctx context.Context, query string, args ...any) ([]*trowel.Token, error) {
	var list []*trowel.Token
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		token := &trowel.Token{}
		var project, created, used, expires, revoked sql.NullInt64
		err := scan(&token.ID, &token.Name, &token.Hash, &token.Role, &project, &token.Actor, &created, &used, &expires, &revoked)
		token.ProjectID = trowel.ProjectID(project.Int64)
		token.CreatedAt, token.LastUsedAt, token.ExpiresAt, token.RevokedAt = instant(created), instant(used), instant(expires), instant(revoked)
		list = append(list, token)
		return err
	})
	return list, err
}

func (t *tx) UpdateToken(ctx context.Context, token *trowel.Token) error {
	if _, err := t.exec(ctx, sqlUpdateToken, token.ID, micros(token.LastUsedAt), micros(token.RevokedAt)); err != nil {
		return fmt.Errorf("update token %d: %w", token.ID, err)
	}
	return nil
}

func (t *tx) TouchToken(ctx context.Context, id trowel.TokenID, at time.Time) error {
	if _, err := t.exec(ctx, sqlTouchToken, id, micros(at)); err != nil {
		return fmt.Errorf("note the use of token %d: %w", id, err)
	}
	return nil
}
