package store

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const sqlListAudits = `SELECT at, attempt_id, task_id, try, from_state, to_state, cause, actor FROM audit WHERE attempt_id = $1 ORDER BY id`

var bulkInsertAudits = bulk{
	head:  `INSERT INTO audit (at, attempt_id, task_id, try, from_state, to_state, cause, actor)`,
	types: []string{"BIGINT", "BIGINT", "BIGINT", "INTEGER", "TEXT", "TEXT", "TEXT", "TEXT"},
}

func (t *tx) InsertAudits(ctx context.Context, entries []trowel.Audit) error {
	_, err := bulkInsertAudits.run(ctx, t.session, len(entries), func(args []any, i int) []any {
		e := &entries[i]
		return append(args, micros(e.At), e.AttemptID, nullID(e.TaskID), e.Try, nonEmpty(e.From), e.To, e.Cause, e.Actor)
	})
	if err != nil {
		return fmt.Errorf("insert %d audit entries: %w", len(entries), err)
	}
	return nil
}

func (t *tx) ListAudits(ctx context.Context, attempt trowel.AttemptID) ([]trowel.Audit, error) {
	var list []trowel.Audit
	err := t.rows(ctx, sqlListAudits, []any{attempt}, func(scan func(...any) error) error {
		var e trowel.Audit
		var at, task sql.NullInt64
		var from sql.NullString
		err := scan(&at, &e.AttemptID, &task, &e.Try, &from, &e.To, &e.Cause, &e.Actor)
		e.At, e.TaskID, e.From = instant(at), trowel.TaskID(task.Int64), from.String
		list = append(list, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the audit of attempt %d: %w", attempt, err)
	}
	return list, nil
}
