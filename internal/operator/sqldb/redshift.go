package sqldb

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/google/uuid"
)

// newRedshift returns the dialect of redshift>.
func newRedshift() *dialect {
	d := newPostgres()
	d.name, d.secrets, d.port, d.secretTimeouts = "redshift", "aws.redshift", 5439, false
	d.once = redshiftOnce
	return d
}

// redshiftOnce makes a table for each query, as Redshift has no locks of rows: while a transaction makes a table, others wait that want to
// make one with that name (operators 7.3).
func redshiftOnce(ctx context.Context, s *status, work func() error) error {
	if err := s.do(ctx, "begin a transaction", "BEGIN"); err != nil {
		return err
	}
	prefix := s.table.name
	mine := s.dialect.table(table{schema: s.table.schema, name: prefix + "_" + s.id})
	err := s.to.run(ctx, fmt.Sprintf("CREATE TABLE %s (query_id, created_at, completed_at) AS SELECT '%s'::text, SYSDATE::timestamptz, NULL::timestamptz", mine, s.id))
	switch {
	case stateOf(err) == stateDuplicate: // it was done before
		for range 2 { // as Digdag
			if err := s.do(ctx, "rollback a transaction", "ROLLBACK"); err != nil {
				return err
			}
		}
	case err != nil:
		return failure("Failed to create a status table.\n"+statusHint+"2. "+statusSchemaHint, err)
	default:
		if err := work(); err != nil {
			return err
		}
		if err := s.do(ctx, "update a status row", "UPDATE %s SET completed_at = SYSDATE WHERE query_id = '%s'", mine, s.id); err != nil {
			return err
		}
		if err := s.do(ctx, "commit updated status row", "COMMIT"); err != nil {
			return err
		}
	}
	s.warn(ctx, dropStatusTables(ctx, s, prefix))
	return nil
}

// dropStatusTables drops the tables of queries that were completed long ago.
func dropStatusTables(ctx context.Context, s *status, prefix string) error {
	old := fmt.Sprintf("SELECT schemaname, tablename FROM pg_tables WHERE tablename LIKE '%s_%%'", quotedText(prefix))
	var tables []table
	err := s.to.query(ctx, old, func(r rows) error {
		for {
			more, err := r.next()
			if err != nil || !more {
				return err
			}
			schema, _ := r.appendText(nil, 0)
			name, _ := r.appendText(nil, 1)
			if isStatusTable(string(name), prefix) {
				tables = append(tables, table{schema: string(schema), name: string(name)})
			}
		}
	})
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := dropCompleted(ctx, s, s.dialect.table(t)); err != nil {
			if ctx.Err() != nil {
				return err
			}
			s.log.Warn("a status table cannot be cleaned up", slog.String("table", t.name), slog.String("error", err.Error()))
		}
	}
	return nil
}

// isStatusTable reports whether a table is that of a query. In the pattern of LIKE each _ stands for any character, and anything may
// follow. Redshift folds names to lower case unless it is told otherwise.
func isStatusTable(name, prefix string) bool {
	id, ours := strings.CutPrefix(name, prefix+"_")
	if !ours {
		id, ours = strings.CutPrefix(name, strings.ToLower(prefix)+"_")
	}
	return ours && len(id) == len(uuid.Nil.String()) && uuid.Validate(id) == nil
}

func dropCompleted(ctx context.Context, s *status, name string) error {
	completed := false
	look := fmt.Sprintf("SELECT query_id FROM %s WHERE completed_at < SYSDATE - INTERVAL '%d SECOND'", name, s.cleanupSeconds())
	err := s.to.query(ctx, look, func(r rows) (err error) {
		completed, err = r.next()
		return err
	})
	if err != nil || !completed {
		return err
	}
	return s.to.run(ctx, "DROP TABLE "+name)
}

// quotedText returns a text as it stands between single quotes.
func quotedText(text string) string { return strings.ReplaceAll(text, "'", "''") }
