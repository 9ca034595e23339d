package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlInsertFindings = `INSERT INTO revision_finding (revision_id, total, findings) VALUES ($1, $2, $3)`
	sqlFindFindings   = `SELECT total, findings FROM revision_finding WHERE revision_id = $1`
	sqlDeleteFindings = `DELETE FROM revision_finding WHERE revision_id = $1`
)

func (t *tx) InsertFindings(ctx context.Context, revision trowel.RevisionID, f trowel.Findings) error {
	list, err := json.Marshal(f.List)
	if err == nil {
		_, err = t.exec(ctx, sqlInsertFindings, revision, f.Total, string(list))
	}
	if err != nil {
		return fmt.Errorf("insert findings of revision %d: %w", revision, err)
	}
	return nil
}

func (t *tx) FindFindings(ctx context.Context, revision trowel.RevisionID) (trowel.Findings, error) {
	var f trowel.Findings
	var list string
	err := t.row(ctx, sqlFindFindings, []any{revision}, &f.Total, &list)
	if errors.Is(err, trowel.ErrNotFound) {
		return trowel.Findings{}, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(list), &f.List)
	}
	if err != nil {
		return trowel.Findings{}, fmt.Errorf("find findings of revision %d: %w", revision, err)
	}
	return f, nil
}
