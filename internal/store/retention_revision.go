package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	// oldRevision selects revisions that were stored before $1 and that nothing refers to.
	oldRevision = `r.created_at < $1 AND r.id <> p.revision_id
AND NOT EXISTS (SELECT 1 FROM workflow w JOIN attempt a ON a.workflow_id = w.id WHERE w.revision_id = r.id)
AND NOT EXISTS (SELECT 1 FROM workflow w JOIN schedule d ON d.workflow_id = w.id WHERE w.revision_id = r.id)`
	sqlListOldRevisions = `SELECT r.id, r.project_id FROM revision r JOIN project p ON p.id = r.project_id
WHERE ` + oldRevision + ` AND r.id > $2 ORDER BY r.id LIMIT $3`
	sqlFindOldRevision = `SELECT r.archive_type, r.archive_key FROM revision r JOIN project p ON p.id = r.project_id
WHERE ` + oldRevision + ` AND r.id = $2`
	sqlLockProject       = `SELECT p.id FROM project p WHERE p.id = $1`
	sqlListConfigs       = `SELECT DISTINCT config_id FROM workflow WHERE revision_id = $1`
	sqlDeleteWorkflows   = `DELETE FROM workflow WHERE revision_id = $1`
	sqlDeleteRevision    = `DELETE FROM revision WHERE id = $1`
	sqlDeleteConfig      = `DELETE FROM workflow_config WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM workflow w WHERE w.config_id = $1)`
	sqlCountArchiveUsers = `SELECT count(*) FROM revision WHERE archive_type = $1 AND archive_key = $2 AND project_id = $3`
)

func (t *tx) ListOldRevisions(ctx context.Context, before time.Time, after trowel.RevisionID, limit int) ([]trowel.OldRevision, error) {
	var old []trowel.OldRevision
	err := t.rows(ctx, sqlListOldRevisions, []any{micros(before), after, limit}, func(scan func(...any) error) error {
		var r trowel.OldRevision
		err := scan(&r.ID, &r.ProjectID)
		old = append(old, r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list old revisions: %w", err)
	}
	return old, nil
}

func (t *tx) DeleteRevisions(ctx context.Context, before time.Time, project trowel.ProjectID, ids []trowel.RevisionID) (int, []trowel.Archive, error) {
	var archives []trowel.Archive
	// A push locks the project as well, so none can begin to share a definition that is deleted here.
	err := t.row(ctx, sqlLockProject+t.dialect.LockRows, []any{project}, new(int64))
	n := 0
	for _, id := range ids {
		if err != nil {
			break
		}
		var found bool
		var archive *trowel.Archive
		if found, archive, err = t.deleteRevision(ctx, before, project, id); found {
			n++
		}
		if archive != nil {
			archives = append(archives, *archive)
		}
	}
	if err != nil {
		return 0, nil, fmt.Errorf("delete old revisions of project %d: %w", project, err)
	}
	return n, archives, nil
}

// deleteRevision deletes a revision if it is old. It returns the archive unless another revision uses it.
func (t *tx) deleteRevision(ctx context.Context, before time.Time, project trowel.ProjectID, id trowel.RevisionID) (bool, *trowel.Archive, error) {
	archive := &trowel.Archive{}
	var key sql.NullString
	err := t.row(ctx, sqlFindOldRevision, []any{micros(before), id}, &archive.Type, &key)
	if errors.Is(err, trowel.ErrNotFound) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	archive.Key = key.String
	var configs []int64
	err = t.rows(ctx, sqlListConfigs, []any{id}, func(scan func(...any) error) error {
		var config int64
		err := scan(&config)
		configs = append(configs, config)
		return err
	})
	for _, statement := range []string{sqlDeleteWorkflows, sqlDeleteFindings, sqlDeleteRevision} {
		if err == nil {
			_, err = t.exec(ctx, statement, id)
		}
	}
	for _, config := range configs {
		if err == nil {
			_, err = t.exec(ctx, sqlDeleteConfig, config)
		}
	}
	users := 0
	if err == nil && archive.Key != "" {
		users, err = t.count(ctx, "count revisions of an archive", sqlCountArchiveUsers, archive.Type, archive.Key, project)
	}
	if err != nil || archive.Key == "" || users > 0 {
		archive = nil
	}
	return err == nil, archive, err
}
