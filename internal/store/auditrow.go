package store

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const sqlSelectAuditRows = `SELECT r.id, r.at, r.batch, r.entries FROM audit r`

func (t *tx) ListAuditRows(ctx context.Context, attempt trowel.AttemptID, from int64, descending bool, limit int) ([]trowel.AuditRow, error) {
	s := &selection{}
	s.and("r.attempt_id = ?", attempt)
	order := "r.id"
	switch {
	case descending && from != 0:
		s.and("r.id < ?", from)
	case !descending:
		s.and("r.id > ?", from)
	}
	if descending {
		order += " DESC"
	}
	var list []trowel.AuditRow
	err := t.rows(ctx, s.text(sqlSelectAuditRows, order, limit), s.args, func(scan func(...any) error) error {
		var row trowel.AuditRow
		var at sql.NullInt64
		var batch int64
		var entries string
		if err := scan(&row.ID, &at, &batch, &entries); err != nil {
			return err
		}
		var err error
		row.Entries, err = readAudits(nil, trowel.AuditEntry{At: instant(at), AttemptID: attempt, Batch: batch}, entries)
		list = append(list, row)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the audit of attempt %d: %w", attempt, err)
	}
	return list, nil
}
