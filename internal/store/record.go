package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	recordColumns = `at, actor_kind, actor, source, action, object_kind, object_id, object, project_id, workflow, attempt_id, before, after, note`

	sqlInsertRecord = `INSERT INTO audit_record (` + recordColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id`
	sqlSelectRecords = `SELECT id, ` + recordColumns + ` FROM audit_record r`
)

func (t *tx) InsertRecords(ctx context.Context, records ...*trowel.AuditRecord) error {
	for _, r := range records {
		err := t.row(ctx, sqlInsertRecord, []any{
			micros(r.At), r.ActorKind, r.Actor, r.Source, r.Action, r.ObjectKind, r.ObjectID, r.Object,
			number(r.ProjectID), optional(r.Workflow), number(r.AttemptID), object(r.Before), object(r.After), optional(r.Note),
		}, &r.ID)
		if err != nil {
			return fmt.Errorf("insert audit record %q: %w", r.Action, err)
		}
	}
	return nil
}

func (t *tx) ListRecords(ctx context.Context, f trowel.RecordFilter) ([]*trowel.AuditRecord, error) {
	s := selectRecords(f)
	var list []*trowel.AuditRecord
	err := t.rows(ctx, s.text(sqlSelectRecords, "r.id DESC", f.Limit), s.args, func(scan func(...any) error) error {
		r, err := scanRecord(scan)
		list = append(list, r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list audit records: %w", err)
	}
	return list, nil
}

func selectRecords(f trowel.RecordFilter) *selection {
	s := &selection{}
	for _, equal := range []struct{ column, value string }{{"r.actor", f.Actor}, {"r.source", f.Source}, {"r.workflow", f.Workflow}} {
		if equal.value != "" {
			s.and(equal.column+" = ?", equal.value)
		}
	}
	if f.Action != "" {
		s.and("(r.action = ? OR (r.action > ? AND r.action < ?))", f.Action, f.Action+".", f.Action+"/") // "/" comes right after "."
	}
	if f.ProjectID != 0 {
		s.and("r.project_id = ?", f.ProjectID)
	}
	if f.AttemptID != 0 {
		s.and("r.attempt_id = ?", f.AttemptID)
	}
	if !f.From.IsZero() {
		s.and("r.at >= ?", micros(f.From))
	}
	if !f.To.IsZero() {
		s.and("r.at < ?", micros(f.To))
	}
	if f.Before != 0 {
		s.and("r.id < ?", f.Before)
	}
	return s
}

func scanRecord(scan func(...any) error) (*trowel.AuditRecord, error) {
	r := &trowel.AuditRecord{}
	var at, project, attempt sql.NullInt64
	var workflow, before, after, note sql.NullString
	err := scan(&r.ID, &at, &r.ActorKind, &r.Actor, &r.Source, &r.Action, &r.ObjectKind, &r.ObjectID, &r.Object,
		&project, &workflow, &attempt, &before, &after, &note)
	if err != nil {
		return nil, err
	}
	r.At, r.ProjectID, r.AttemptID = instant(at), trowel.ProjectID(project.Int64), trowel.AttemptID(attempt.Int64)
	r.Workflow, r.Note = workflow.String, note.String
	var errBefore, errAfter error
	r.Before, errBefore = readObject(before)
	r.After, errAfter = readObject(after)
	return r, errors.Join(errBefore, errAfter)
}
