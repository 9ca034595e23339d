package sqldb

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

const statusHint = "hint: if you don't have permission to create tables, please try one of these options:\n" +
	"1. add 'strict_transaction: false' option to disable exactly-once transaction control that depends on this table.\n"

const statusSchemaHint = "ask system administrator to create a schema that this user can create a table and set 'status_table_schema' option to it\n"

// createTries is how often a table is created that other sessions create at the same time.
const createTries = 5

// newPostgres returns the dialect of pg>.
func newPostgres() *dialect {
	dialer := &pgDialer{keys: newScramCache()}
	return &dialect{
		name: "pg", secrets: "pg", port: 5432, secretTimeouts: true, quote: `"`,
		readOnly: "SET TRANSACTION READ ONLY", readWrite: "SET TRANSACTION READ WRITE",
		connect: dialer.connect, once: postgresOnce,
	}
}

// postgresOnce keeps the row of the query locked while it works, so that another run of the same query waits (operators 7.1).
func postgresOnce(ctx context.Context, s *status, work func() error) error {
	if err := createStatusTable(ctx, s); err != nil {
		return err
	}
	for {
		if err := s.do(ctx, "begin a transaction", "BEGIN"); err != nil {
			return err
		}
		found, completed, err := lockStatusRow(ctx, s)
		switch {
		case stateOf(err) == stateLocked:
			return errLocked
		case err != nil:
			return failure("Failed to lock a status row", err)
		case completed:
			if err := s.do(ctx, "rollback a transaction", "ROLLBACK"); err != nil {
				return err
			}
		case found:
			if err := completeOnce(ctx, s, work); err != nil {
				return err
			}
		default:
			if err := insertStatusRow(ctx, s); err != nil {
				return err
			}
			continue
		}
		s.warn(ctx, s.do(ctx, "delete old status rows",
			"DELETE FROM %[1]s WHERE query_id = ANY(SELECT query_id FROM %[1]s WHERE completed_at < now() - interval '%[2]d' second)", s.name(), s.cleanupSeconds()))
		return nil
	}
}

func createStatusTable(ctx context.Context, s *status) error {
	columns := " (query_id text NOT NULL UNIQUE, created_at timestamptz NOT NULL, completed_at timestamptz)"
	var err error
	for range createTries {
		// Sessions that create it at the same time can be told that there is a row for it in the catalog, its type or the table itself.
		err = s.to.run(ctx, "CREATE TABLE IF NOT EXISTS "+s.name()+columns)
		if !slices.Contains([]string{stateDuplicate, stateDuplicateObject, stateDuplicateTable}, stateOf(err)) {
			break
		}
	}
	if stateOf(err) == stateForbidden && hasTable(ctx, s) {
		return nil
	}
	return failure(fmt.Sprintf("Failed to create a status table %s.\n"+statusHint+
		"2. ask system administrator to create this table using the following command and grant INSERT privilege to this user: CREATE TABLE IF NOT EXISTS %s%s;\n"+
		"3. "+statusSchemaHint, s.name(), s.name(), columns), err)
}

// hasTable reports whether the table is there. Who must not create tables is refused even then.
func hasTable(ctx context.Context, s *status) (found bool) {
	text := "SELECT 1 FROM pg_catalog.pg_type WHERE oid = to_regtype('" + quotedText(s.name()) + "')"
	err := s.to.query(ctx, text, func(r rows) (err error) {
		found, err = r.next()
		return err
	})
	return err == nil && found
}

// lockStatusRow looks for the row of the query, and whether the query was completed. If the row is there, other
// transactions wait for it until the end of this one.
func lockStatusRow(ctx context.Context, s *status) (found, completed bool, err error) {
	err = s.to.query(ctx, fmt.Sprintf("SELECT completed_at FROM %s WHERE query_id = '%s' FOR UPDATE NOWAIT", s.name(), s.id), func(r rows) (err error) {
		if found, err = r.next(); found {
			_, completed = r.appendText(nil, 0)
		}
		return err
	})
	return found, completed, err
}

// insertStatusRow begins with the row of a new query, which may be there meanwhile.
func insertStatusRow(ctx context.Context, s *status) error {
	err := s.do(ctx, "insert a status row", "INSERT INTO %s (query_id, created_at) VALUES ('%s', CURRENT_TIMESTAMP)", s.name(), s.id)
	if stateOf(err) == stateDuplicate {
		return s.do(ctx, "rollback a transaction", "ROLLBACK")
	}
	if err != nil {
		return err
	}
	return s.do(ctx, "commit inserted status row", "COMMIT")
}

// completeOnce works in the present transaction, and says in it that the query is completed.
func completeOnce(ctx context.Context, s *status, work func() error) error {
	if err := work(); err != nil {
		return err
	}
	err := s.do(ctx, "update a status row", "UPDATE %s SET completed_at = CURRENT_TIMESTAMP WHERE query_id = '%s'", s.name(), s.id)
	if err != nil {
		return err
	}
	return s.do(ctx, "commit updated status row", "COMMIT")
}

// asLocked reports whether an error says that another run has not ended.
func asLocked(err error) bool { return errors.Is(err, errLocked) }
