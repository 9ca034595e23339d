package digdag

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

const (
	sqlCountProjects = `SELECT count(*) FROM projects WHERE site_id = $1`
	sqlListProjects  = `SELECT p.id, coalesce(p.name, p.deleted_name, ''), p.created_at,
CASE WHEN p.name IS NULL THEN coalesce(p.deleted_at, p.created_at) END,
(SELECT max(r.id) FROM revisions r WHERE r.project_id = p.id) FROM projects p WHERE p.site_id = $1 ORDER BY p.id`

	ofRevisions       = ` FROM revisions r JOIN projects p ON p.id = r.project_id LEFT JOIN revision_archives f ON f.id = r.id WHERE p.site_id = $1`
	sqlCountRevisions = `SELECT count(*)` + ofRevisions
	sqlListRevisions  = `SELECT r.id, r.project_id, r.name, r.default_params, r.archive_type, r.archive_path, r.archive_md5, r.created_at,
r.user_info, octet_length(f.archive_data)` + ofRevisions + ` ORDER BY r.id`

	ofConfigs       = ` FROM workflow_configs c JOIN projects p ON p.id = c.project_id WHERE p.site_id = $1`
	sqlCountConfigs = `SELECT count(*)` + ofConfigs
	sqlListConfigs  = `SELECT c.id, c.project_id, c.timezone, c.config` + ofConfigs + ` ORDER BY c.id`

	ofWorkflows = ` FROM workflow_definitions d JOIN revisions r ON r.id = d.revision_id JOIN projects p ON p.id = r.project_id
WHERE p.site_id = $1`
	sqlCountWorkflows = `SELECT count(*)` + ofWorkflows
	sqlListWorkflows  = `SELECT d.id, d.revision_id, d.name, d.config_id` + ofWorkflows + ` ORDER BY d.id`
)

func (c *copying) projects(ctx context.Context, done func(int)) error {
	b := noted(c.target.Projects, done)
	err := c.source.rows(ctx, sqlListProjects, []any{c.opts.Site}, func(scan func(...any) error) error {
		var p store.ImportedProject
		var deleted sql.NullTime
		var newest sql.NullInt64
		if err := scan(&p.ID, &p.Name, &p.CreatedAt, &deleted, &newest); err != nil {
			return err
		}
		p.DeletedAt, p.Newest = deleted.Time, trowel.RevisionID(newest.Int64)
		return b.add(ctx, p, 0)
	})
	if err != nil {
		return err
	}
	return b.flush(ctx)
}

// Types of archives (server 4.6).
const (
	archiveDatabase = "db"
	archiveNone     = "none"
)

func (c *copying) revisions(ctx context.Context, done func(int)) error {
	b := noted(c.target.Revisions, done)
	err := c.source.rows(ctx, sqlListRevisions, []any{c.opts.Site}, func(scan func(...any) error) error {
		r := &trowel.Revision{}
		var params, path, user sql.NullString
		var size sql.NullInt64
		var created time.Time
		err := scan(&r.ID, &r.ProjectID, &r.Name, &params, &r.Archive.Type, &path, &r.Archive.MD5, &created, &user, &size)
		if err != nil {
			return err
		}
		r.CreatedAt = created
		r.Params, err = object(params)
		if err == nil {
			r.UserInfo, err = object(user)
		}
		if err != nil {
			return broken("revisions", int64(r.ID), err)
		}
		c.place(r, path.String, size)
		return b.add(ctx, r, len(params.String)+len(user.String))
	})
	if err != nil {
		return err
	}
	return b.flush(ctx)
}

// place says where the files of a revision are after the migration. Archives in Digdag's database are copied;
// others stay where they are.
func (c *copying) place(r *trowel.Revision, path string, size sql.NullInt64) {
	switch r.Archive.Type {
	case archiveDatabase:
		r.Archive.Key, r.Archive.SizeBytes = archiveKey(int64(r.ProjectID), int64(r.ID)), size.Int64
		if !size.Valid {
			c.warn("revision %q of project %d has no archive in Digdag's database", r.Name, r.ProjectID)
		}
	case archiveNone:
	default:
		c.report.Elsewhere[r.Archive.Type]++
		key, below := strings.CutPrefix(path, c.opts.KeyPrefixes[r.Archive.Type])
		if !below {
			c.warn("the archive %q of revision %q is not below archive.%s.path = %q of the target's settings and will not be found",
				path, r.Name, r.Archive.Type, c.opts.KeyPrefixes[r.Archive.Type])
		}
		r.Archive.Key, r.Archive.SizeBytes = key, -1
	}
}

// archiveKey returns the key for an archive that was in Digdag's database.
func archiveKey(project, revision int64) string {
	return fmt.Sprintf("digdag/%d/%d.tar.gz", project, revision)
}

func (c *copying) configs(ctx context.Context, done func(int)) error {
	b := noted(c.target.Configs, done)
	err := c.source.rows(ctx, sqlListConfigs, []any{c.opts.Site}, func(scan func(...any) error) error {
		var row store.ImportedConfig
		var text sql.NullString
		if err := scan(&row.ID, &row.Project, &row.Zone, &text); err != nil {
			return err
		}
		var err error
		if row.Definition, err = object(text); err != nil {
			return broken("workflow_configs", row.ID, err)
		}
		return b.add(ctx, row, len(text.String))
	})
	if err != nil {
		return err
	}
	return b.flush(ctx)
}

func (c *copying) workflows(ctx context.Context, done func(int)) error {
	b := noted(c.target.Workflows, done)
	err := c.source.rows(ctx, sqlListWorkflows, []any{c.opts.Site}, func(scan func(...any) error) error {
		var w store.ImportedWorkflow
		if err := scan(&w.ID, &w.Revision, &w.Name, &w.Config); err != nil {
			return err
		}
		return b.add(ctx, w, 0)
	})
	if err != nil {
		return err
	}
	return b.flush(ctx)
}
