package store

import (
	"context"
	"fmt"
)

// Table is a table whose rows Count counts.
type Table string

// Tables that are counted after an import.
const (
	TableProject     Table = "project"
	TableRevision    Table = "revision"
	TableConfig      Table = "workflow_config"
	TableWorkflow    Table = "workflow"
	TableSchedule    Table = "schedule"
	TableSecret      Table = "secret"
	TableSession     Table = "session"
	TableAttempt     Table = "attempt"
	TableTaskArchive Table = "task_archive" // attempts that have one
)

const (
	sqlCountProjects     = `SELECT count(*) FROM project`
	sqlCountRevisions    = `SELECT count(*) FROM revision`
	sqlCountConfigs      = `SELECT count(*) FROM workflow_config`
	sqlCountWorkflows    = `SELECT count(*) FROM workflow`
	sqlCountSchedules    = `SELECT count(*) FROM schedule`
	sqlCountSecrets      = `SELECT count(*) FROM secret`
	sqlCountSessions     = `SELECT count(*) FROM session`
	sqlCountAttempts     = `SELECT count(*) FROM attempt`
	sqlCountTaskArchives = `SELECT count(*) FROM task_archive WHERE part = 0`

	sqlPassIDPostgres    = `SELECT setval(pg_get_serial_sequence($1, 'id'), $2)`
	sqlPassTasksPostgres = `SELECT setval('task_id', $1)`
	sqlPassIDSQLite      = `UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1`
	sqlFirstIDSQLite     = `INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)`
	sqlPassTasksSQLite   = `INSERT INTO id_block (noun, next_id) VALUES ('task', 1 + CAST($1 AS BIGINT))
ON CONFLICT (noun) DO UPDATE SET next_id = max(next_id, excluded.next_id)`
)

// Count returns how many rows a table has.
func (im *Importer) Count(ctx context.Context, table Table) (n int64, err error) {
	query := map[Table]string{
		TableProject: sqlCountProjects, TableRevision: sqlCountRevisions, TableConfig: sqlCountConfigs, TableWorkflow: sqlCountWorkflows,
		TableSchedule: sqlCountSchedules, TableSecret: sqlCountSecrets, TableSession: sqlCountSessions, TableAttempt: sqlCountAttempts,
		TableTaskArchive: sqlCountTaskArchives,
	}[table]
	if err := im.tx.row(ctx, query, nil, &n); err != nil {
		return 0, fmt.Errorf("count rows of table %s: %w", table, err)
	}
	return n, nil
}

// LastIDs are the largest ids that were in use. Zero means none.
type LastIDs struct {
	Project, Revision, Config, Workflow, Schedule, Session, Attempt, Task int64
}

// PassIDs makes the ids of new rows larger than those that were in use, even if no row was imported
// under them.
func (im *Importer) PassIDs(ctx context.Context, last LastIDs) error {
	for _, row := range []struct {
		table Table
		id    int64
		kept  bool // SQLite keeps the last id; in the other tables it takes the one after the largest
	}{
		{TableProject, last.Project, false},
		{TableRevision, last.Revision, false},
		{TableConfig, last.Config, false},
		{TableWorkflow, last.Workflow, false},
		{TableSchedule, last.Schedule, true},
		{TableSession, last.Session, true},
		{TableAttempt, last.Attempt, true},
	} {
		if row.id == 0 {
			continue
		}
		if err := im.passID(ctx, string(row.table), row.id, row.kept); err != nil {
			return fmt.Errorf("set the next id of table %s: %w", row.table, err)
		}
	}
	if last.Task == 0 {
		return nil
	}
	var err error
	if im.tx.dialect.TaskIDs {
		err = im.tx.row(ctx, sqlPassTasksPostgres, []any{last.Task}, new(int64))
	} else {
		_, err = im.tx.exec(ctx, sqlPassTasksSQLite, last.Task)
	}
	if err != nil {
		return fmt.Errorf("set the next id of tasks: %w", err)
	}
	return nil
}

func (im *Importer) passID(ctx context.Context, table string, id int64, kept bool) error {
	if im.tx.dialect.TaskIDs { // sequences
		return im.tx.row(ctx, sqlPassIDPostgres, []any{table, id}, new(int64))
	}
	if !kept {
		return nil
	}
	_, err := im.tx.exec(ctx, sqlPassIDSQLite, table, id)
	if err == nil {
		_, err = im.tx.exec(ctx, sqlFirstIDSQLite, table, id)
	}
	return err
}
