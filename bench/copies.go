package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// copier copies rows of PostgreSQL that a server has written, so that there are as many as a bar needs,
// with all columns of this version. No server runs meanwhile.
type copier struct {
	conn *pgx.Conn
}

// newCopier opens a connection that does not wait for the disk. The log may become large meanwhile, as checkpoints
// would take most of the time.
func (b *bench) newCopier(ctx context.Context, db *database) (*copier, error) {
	if err := execute(b.postgres.Options(), "ALTER SYSTEM SET max_wal_size = '32GB'", "SELECT pg_reload_conf()"); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, db.source)
	if err != nil {
		return nil, err
	}
	c := &copier{conn}
	// Copies of rows that refer to each other do so as well, so the database need not check them.
	return c, c.run(ctx, "SET synchronous_commit = off", "SET session_replication_role = replica", "SET maintenance_work_mem = '512MB'")
}

// close closes the connection, and brings the database into its usual state: everything on disk, with statistics.
func (c *copier) close(ctx context.Context, b *bench) error {
	err := c.run(ctx, "VACUUM (ANALYZE)", "CHECKPOINT")
	return errors.Join(err, c.conn.Close(ctx), execute(b.postgres.Options(), "ALTER SYSTEM RESET max_wal_size", "SELECT pg_reload_conf()"))
}

func (c *copier) run(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := c.conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// number returns the only number in the answer to a query.
func (c *copier) number(ctx context.Context, query string) (n int64, err error) {
	if err := c.conn.QueryRow(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return n, nil
}

// largest returns the largest value of a column, which is the distance between copies of rows.
func (c *copier) largest(ctx context.Context, table, column string) (int64, error) {
	return c.number(ctx, fmt.Sprintf("SELECT coalesce(max(%s), 0) FROM trowel.%s", column, table))
}

// goOn makes the ids of new rows in tables larger than those of the copies.
func (c *copier) goOn(ctx context.Context, tables ...string) error {
	for _, table := range tables {
		if err := c.run(ctx, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('trowel.%[1]s', 'id'), (SELECT max(id) FROM trowel.%[1]s))", table)); err != nil {
			return err
		}
	}
	return nil
}

// copyRows adds n copies of each row of a table. Columns are those of the row t, except those in changed: expressions
// of t and of k, the number of the copy. Copies with the same k are adjacent.
func (c *copier) copyRows(ctx context.Context, table string, n int64, changed map[string]string) error {
	return c.copySome(ctx, table, "true", n, changed)
}

// copySome is copyRows for the rows that satisfy a condition.
func (c *copier) copySome(ctx context.Context, table, condition string, n int64, changed map[string]string) error {
	names, err := c.columns(ctx, table)
	if err != nil {
		return err
	}
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = "t." + name
		if expression, found := changed[name]; found {
			values[i] = expression
		}
	}
	return c.run(ctx,
		fmt.Sprintf("CREATE TEMPORARY TABLE original AS SELECT * FROM trowel.%s WHERE %s", table, condition),
		fmt.Sprintf("INSERT INTO trowel.%s (%s) SELECT %s FROM generate_series(1, %d) AS k CROSS JOIN LATERAL (SELECT * FROM original ORDER BY %s OFFSET 0) AS t",
			table, strings.Join(names, ", "), strings.Join(values, ", "), n, names[0]),
		"DROP TABLE original",
	)
}

func (c *copier) columns(ctx context.Context, table string) ([]string, error) {
	rows, err := c.conn.Query(ctx, "SELECT column_name FROM information_schema.columns WHERE table_schema = 'trowel' AND table_name = $1 ORDER BY ordinal_position", table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
