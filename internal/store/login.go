package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	loginColumns = `hash, user_name, proof, token_id, address, browser, created_at, used_at, ends_at`
	loginEnded   = `(used_at < $1 OR ends_at <= $2)`

	sqlInsertLogin       = `INSERT INTO login (` + loginColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`
	sqlFindLogin         = `SELECT id, ` + loginColumns + ` FROM login WHERE hash = $1`
	sqlListLoginsOfUser  = `SELECT id, ` + loginColumns + ` FROM login WHERE user_name = $1 AND token_id IS NULL ORDER BY id`
	sqlListLoginsOfToken = `SELECT id, ` + loginColumns + ` FROM login WHERE token_id = $1 ORDER BY id`
	sqlTouchLogin        = `UPDATE login SET used_at = $2 WHERE id = $1 AND used_at < $2`
	sqlDeleteLogin       = `DELETE FROM login WHERE id = $1`
	sqlCountEndedLogins  = `SELECT count(*) FROM login WHERE ` + loginEnded
	sqlDeleteEndedLogins = `DELETE FROM login WHERE id IN (SELECT id FROM login WHERE ` + loginEnded + ` ORDER BY id LIMIT $3)`
)

func (t *tx) InsertLogin(ctx context.Context, l *trowel.Login) error {
	var token any
	if l.TokenID != 0 {
		token = l.TokenID
	}
	err := t.row(ctx, sqlInsertLogin, []any{
		l.Hash, l.User, l.Proof, token, l.Address, l.Browser, micros(l.CreatedAt), micros(l.UsedAt), micros(l.EndsAt),
	}, &l.ID)
	if err != nil {
		return fmt.Errorf("insert a login: %w", err)
	}
	return nil
}

func (t *tx) FindLogin(ctx context.Context, hash []byte) (*trowel.Login, error) {
	l, err := first(t.logins(ctx, sqlFindLogin, hash))
	if err != nil {
		return nil, fmt.Errorf("find a login: %w", err)
	}
	return l, nil
}

func (t *tx) ListLogins(ctx context.Context, user string, token trowel.TokenID) (list []*trowel.Login, err error) {
	if token != 0 {
		list, err = t.logins(ctx, sqlListLoginsOfToken, token)
	} else {
		list, err = t.logins(ctx, sqlListLoginsOfUser, user)
	}
	if err != nil {
		return nil, fmt.Errorf("list logins: %w", err)
	}
	return list, nil
}

func (t *tx) logins(ctx context.Context, query string, args ...any) ([]*trowel.Login, error) {
	var list []*trowel.Login
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		l := &trowel.Login{}
		var token, created, used, ends sql.NullInt64
		err := scan(&l.ID, &l.Hash, &l.User, &l.Proof, &token, &l.Address, &l.Browser, &created, &used, &ends)
		l.TokenID = trowel.TokenID(token.Int64)
		l.CreatedAt, l.UsedAt, l.EndsAt = instant(created), instant(used), instant(ends)
		list = append(list, l)
		return err
	})
	return list, err
}

func (t *tx) TouchLogin(ctx context.Context, id trowel.LoginID, at time.Time) error {
	if _, err := t.exec(ctx, sqlTouchLogin, id, micros(at)); err != nil {
		return fmt.Errorf("note the use of login %d: %w", id, err)
	}
	return nil
}

func (t *tx) DeleteLogin(ctx context.Context, id trowel.LoginID) error {
	rows, err := t.exec(ctx, sqlDeleteLogin, id)
	if err == nil && rows == 0 {
		err = trowel.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("delete login %d: %w", id, err)
	}
	return nil
}

func (t *tx) CountEndedLogins(ctx context.Context, usedBefore, now time.Time) (n int, err error) {
	if err := t.row(ctx, sqlCountEndedLogins, []any{micros(usedBefore), micros(now)}, &n); err != nil {
		return 0, fmt.Errorf("count ended logins: %w", err)
	}
	return n, nil
}

func (t *tx) DeleteEndedLogins(ctx context.Context, usedBefore, now time.Time, limit int) (int, error) {
	rows, err := t.exec(ctx, sqlDeleteEndedLogins, micros(usedBefore), micros(now), limit)
	if err != nil {
		return 0, fmt.Errorf("delete ended logins: %w", err)
	}
	return int(rows), nil
}
