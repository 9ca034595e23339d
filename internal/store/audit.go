package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// A row of the audit has what one transaction changed in one attempt, as a JSON list of
// [task, try, from, to, cause, actor]. With one row for each entry the audit would be a quarter of the cost of a
// task.
const (
	sqlListAudits = `SELECT at, batch, entries FROM audit WHERE attempt_id = $1 ORDER BY id`
	sqlCountBatch = `SELECT count(*) FROM audit WHERE attempt_id = $1 AND batch = $2`
	auditColumns  = `at BIGINT, attempt_id BIGINT, batch BIGINT, entries TEXT`
)

// auditEntries is the largest number of entries in a row.
const auditEntries = 1000

// auditEntryBytes is about what an entry takes in a row.
const auditEntryBytes = 64

// auditRow collects the entries of one row.
type auditRow struct {
	attempt trowel.AttemptID
	at      int64
	batch   int64
	entries []byte
	count   int
}

func (t *tx) InsertAudits(ctx context.Context, entries []trowel.AuditEntry) error {
	rows := auditRows(entries)
	err := t.attemptsExist(ctx, len(rows), func(i int) trowel.AttemptID { return rows[i].attempt })
	if err != nil {
		return fmt.Errorf("insert %d audit entries: %w", len(entries), err)
	}
	err = t.bulk(ctx, bulk{table: "audit", columns: auditColumns}, len(rows), func(v *values, i int) {
		v.number(rows[i].at)
		v.number(int64(rows[i].attempt))
		v.number(rows[i].batch)
		v.whole(string(append(rows[i].entries, ']')))
	})
	if err != nil {
		return fmt.Errorf("insert %d audit entries: %w", len(entries), err)
	}
	return nil
}

func auditRows(entries []trowel.AuditEntry) []*auditRow {
	var rows []*auditRow
	open := map[trowel.AttemptID]*auditRow{}
	for i := range entries {
		e := &entries[i]
		row := open[e.AttemptID]
		if at := e.At.UnixMicro(); row == nil || row.at != at || row.batch != e.Batch || row.count == auditEntries {
			row = &auditRow{attempt: e.AttemptID, at: at, batch: e.Batch}
			row.entries = make([]byte, 0, min(len(entries)-i, auditEntries)*auditEntryBytes)
			rows = append(rows, row)
			open[e.AttemptID] = row
		}
		row.add(e)
	}
	return rows
}

func (r *auditRow) add(e *trowel.AuditEntry) {
	if r.count > 0 {
		r.entries = append(r.entries, ',')
	} else {
		r.entries = append(r.entries, '[')
	}
	r.entries = append(r.entries, '[')
	r.entries = strconv.AppendInt(r.entries, int64(e.TaskID), 10)
	r.entries = append(r.entries, ',')
	r.entries = strconv.AppendInt(r.entries, int64(e.Try), 10)
	for _, text := range [...]string{e.From, e.To, e.Cause, e.Actor} {
		r.entries = append(r.entries, ',')
		r.entries = param.AppendQuoted(r.entries, text)
	}
	r.entries = append(r.entries, ']')
	r.count++
}

func (t *tx) ListAudits(ctx context.Context, attempt trowel.AttemptID) ([]trowel.AuditEntry, error) {
	list, err := t.audits(ctx, attempt, sqlListAudits, attempt)
	if err != nil {
		return nil, fmt.Errorf("list the audit of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) audits(ctx context.Context, attempt trowel.AttemptID, query string, args ...any) ([]trowel.AuditEntry, error) {
	var list []trowel.AuditEntry
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var at sql.NullInt64
		var batch int64
		var entries string
		if err := scan(&at, &batch, &entries); err != nil {
			return err
		}
		var err error
		list, err = readAudits(list, trowel.AuditEntry{At: instant(at), AttemptID: attempt, Batch: batch}, entries)
		return err
	})
	return list, err
}

// readAudits appends the entries of a row. e has what they share.
func readAudits(list []trowel.AuditEntry, e trowel.AuditEntry, entries string) ([]trowel.AuditEntry, error) {
	value, err := param.Parse(entries)
	if err != nil {
		return nil, err
	}
	items, _ := value.(param.List)
	for _, item := range items {
		fields, _ := item.(param.List)
		if len(fields) != 6 {
			return nil, fmt.Errorf("audit entry %s: want 6 fields", param.JSON(item))
		}
		task, _ := param.AsLong(fields[0])
		try, _ := param.AsInt(fields[1])
		e.TaskID, e.Try = trowel.TaskID(task), try
		for i, to := range []*string{&e.From, &e.To, &e.Cause, &e.Actor} {
			*to, _ = param.AsString(fields[2+i])
		}
		list = append(list, e)
	}
	return list, nil
}

func (t *tx) HasBatch(ctx context.Context, attempt trowel.AttemptID, batch int64) (bool, error) {
	var n int
	if err := t.row(ctx, sqlCountBatch, []any{attempt, batch}, &n); err != nil {
		return false, fmt.Errorf("look for a transaction of attempt %d: %w", attempt, err)
	}
	return n > 0, nil
}
