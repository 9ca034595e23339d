package store

import (
	"context"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Importer writes rows with the ids that they had in another database, into empty tables. Rows
// without ids of their own are written through its transaction.
type Importer struct {
	trowel.Tx

	tx *tx
}

// ImportedProject is a project with its newest revision, zero without one.
type ImportedProject struct {
	trowel.Project

	Newest trowel.RevisionID // its newest revision; zero for none
}

// ImportedConfig is a definition that workflows of several revisions may share.
type ImportedConfig struct {
	ID         int64
	Project    trowel.ProjectID
	Zone       string
	Definition *param.Map
}

// ImportedWorkflow is a workflow of a revision whose definition is an ImportedConfig.
type ImportedWorkflow struct {
	ID       trowel.WorkflowID
	Revision trowel.RevisionID
	Name     string
	Config   int64 // id of its ImportedConfig
}

// ImportedSession is a session with its last attempt, zero without one.
type ImportedSession struct {
	trowel.Session

	LastAttempt trowel.AttemptID // zero for none
}

// ImportedAttempt is an ended attempt with the tasks that it ended with.
type ImportedAttempt struct {
	trowel.Attempt

	Workflow   string
	Tasks      []*trowel.Task
	ArchivedAt time.Time // when its tasks were archived
}

// Import runs f in one transaction. f may run again after a conflict. If the database has projects already, even
// deleted ones, there is an ErrConflict.
func (db *DB) Import(ctx context.Context, f func(*Importer) error) error {
	return db.Update(ctx, func(inside trowel.Tx) error {
		own, ok := inside.(*tx)
		if !ok {
			return fmt.Errorf("import into a transaction of type %T", inside)
		}
		im := &Importer{Tx: inside, tx: own}
		projects, err := im.Count(ctx, TableProject)
		if err != nil {
			return err
		}
		if projects > 0 {
			return &trowel.Error{
				Kind: trowel.ErrConflict, Message: fmt.Sprintf("the database has %d projects already", projects),
				Hint: "name an empty database: ids are kept, so they must be free",
			}
		}
		return f(im)
	})
}

// Projects writes projects.
func (im *Importer) Projects(ctx context.Context, list []ImportedProject) error {
	b := bulk{table: "project", columns: `id BIGINT, name TEXT, revision_id BIGINT, created_at BIGINT, deleted_at BIGINT`}
	return im.insert(ctx, b, len(list), func(v *values, i int) {
		p := &list[i]
		v.number(int64(p.ID))
		v.name(p.Name)
		v.id(int64(p.Newest))
		v.instant(p.CreatedAt)
		v.instant(p.DeletedAt)
	})
}

// Revisions writes revisions.
func (im *Importer) Revisions(ctx context.Context, list []*trowel.Revision) error {
	b := bulk{table: "revision", columns: `id BIGINT, project_id BIGINT, name TEXT, params TEXT, archive_type TEXT, archive_key TEXT,
archive_md5 BYTEA, archive_bytes BIGINT, user_info TEXT, actor TEXT, created_at BIGINT`}
	return im.insert(ctx, b, len(list), func(v *values, i int) {
		r := list[i]
		v.number(int64(r.ID))
		v.number(int64(r.ProjectID))
		v.name(r.Name)
		v.object(r.Params)
		v.name(r.Archive.Type)
		v.text(r.Archive.Key)
		v.bytes(r.Archive.MD5)
		v.number(r.Archive.SizeBytes)
		v.object(r.UserInfo)
		v.name(r.Actor)
		v.instant(r.CreatedAt)
	})
}

// Configs writes definitions. Where their tasks are written is not known, so no later push shares them.
func (im *Importer) Configs(ctx context.Context, list []ImportedConfig) error {
	b := bulk{table: "workflow_config", columns: `id BIGINT, project_id BIGINT, digest BIGINT, zone TEXT, definition TEXT`}
	return im.insert(ctx, b, len(list), func(v *values, i int) {
		c := &list[i]
		definition := ""
		if c.Definition.Len() > 0 {
			definition = text(param.JSON(c.Definition))
		}
		v.number(c.ID)
		v.number(int64(c.Project))
		v.number(configDigest(c.Zone, definition, ""))
		v.name(c.Zone)
		v.text(definition)
	})
}

// Workflows writes workflows.
func (im *Importer) Workflows(ctx context.Context, list []ImportedWorkflow) error {
	b := bulk{table: "workflow", columns: `id BIGINT, revision_id BIGINT, name TEXT, config_id BIGINT`}
	return im.insert(ctx, b, len(list), func(v *values, i int) {
		w := &list[i]
		v.number(int64(w.ID))
		v.number(int64(w.Revision))
		v.name(w.Name)
		v.number(w.Config)
	})
}

// Schedules writes schedules.
func (im *Importer) Schedules(ctx context.Context, list []*trowel.Schedule) error {
	b := bulk{table: "schedule", columns: `id BIGINT, project_id BIGINT, workflow TEXT, workflow_id BIGINT, next_run_at BIGINT,
next_session_at BIGINT, last_session_at BIGINT, created_at BIGINT, updated_at BIGINT, disabled_at BIGINT`}
	return im.insert(ctx, b, len(list), func(v *values, i int) {
		s := list[i]
		v.number(int64(s.ID))
		v.number(int64(s.ProjectID))
		v.name(s.Workflow)
		v.number(int64(s.WorkflowID))
		v.instant(s.NextRunAt)
		v.instant(s.NextSessionAt)
		v.instant(s.LastSessionAt)
		v.instant(s.CreatedAt)
		v.instant(s.UpdatedAt)
		v.instant(s.DisabledAt)
	})
}

// Sessions writes sessions.
func (im *Importer) Sessions(ctx context.Context, list []ImportedSession) error {
	b := bulk{table: "session", columns: `id BIGINT, project_id BIGINT, workflow TEXT, session_time BIGINT, uuid TEXT, last_attempt_id BIGINT`}
	return im.insert(ctx, b, len(list), func(v *values, i int) {
		s := &list[i]
		v.number(int64(s.ID))
		v.number(int64(s.ProjectID))
		v.name(s.Workflow)
		v.instant(s.Time)
		v.name(s.UUID)
		v.id(int64(s.LastAttempt))
	})
}

// Attempts writes ended attempts with their tasks.
func (im *Importer) Attempts(ctx context.Context, list []ImportedAttempt) error {
	b := bulk{table: "attempt", columns: `id BIGINT, session_id BIGINT, project_id BIGINT, workflow TEXT, name TEXT, number INTEGER,
workflow_id BIGINT, zone TEXT, params TEXT, flags SMALLINT, cause TEXT, actor TEXT, version BIGINT, created_at BIGINT, finished_at BIGINT`}
	err := im.insert(ctx, b, len(list), func(v *values, i int) {
		a := &list[i]
		v.number(int64(a.ID))
		v.number(int64(a.SessionID))
		v.number(int64(a.ProjectID))
		v.name(a.Workflow)
		v.name(a.Name)
		v.number(int64(a.Index))
		v.number(int64(a.WorkflowID))
		v.name(a.Zone)
		v.object(a.Params)
		v.number(int64(a.Flags))
		v.name(a.Cause)
		v.name(a.Actor)
		v.number(a.Version)
		v.instant(a.CreatedAt)
		v.instant(a.FinishedAt)
	})
	if err != nil {
		return err
	}
	return im.archives(ctx, list)
}

// importedPart is a row of the archive of tasks.
type importedPart struct {
	attempt *ImportedAttempt
	part    int
	tasks   []*trowel.Task
}

func (im *Importer) archives(ctx context.Context, list []ImportedAttempt) error {
	var parts []importedPart
	for i := range list {
		tasks := list[i].Tasks
		for part := 0; part == 0 || part*archivePart < len(tasks); part++ {
			from := part * archivePart
			parts = append(parts, importedPart{&list[i], part, tasks[from:min(from+archivePart, len(tasks))]})
		}
	}
	b := bulk{table: "task_archive", columns: archiveColumns}
	return im.insert(ctx, b, len(parts), func(v *values, i int) {
		p := &parts[i]
		v.number(int64(p.attempt.ID))
		v.number(int64(p.part))
		v.name(string(appendArchive(nil, p.tasks)))
		v.instant(p.attempt.ArchivedAt)
	})
}

func (im *Importer) insert(ctx context.Context, b bulk, n int, fill func(v *values, i int)) error {
	if err := im.tx.bulk(ctx, b, n, fill); err != nil {
		return fmt.Errorf("import %d rows of table %s: %w", n, b.table, err)
	}
	return nil
}

// AllowUnboundSecrets records that there are secrets in Digdag's form.
func (im *Importer) AllowUnboundSecrets(ctx context.Context) error {
	if _, err := im.tx.exec(ctx, sqlAllowUnboundSecrets); err != nil {
		return fmt.Errorf("set the form of secrets: %w", err)
	}
	return nil
}
