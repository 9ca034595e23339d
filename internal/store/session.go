package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

// session is one connection with its prepared statements. It is not for concurrent use.
type session struct {
	conn    *sql.Conn
	dialect Dialect
	stmts   map[string]*sql.Stmt
	bulks   map[bulkSize]driver.StmtExecContext
}

func newSession(conn *sql.Conn, dialect Dialect) *session {
	return &session{conn: conn, dialect: dialect, stmts: map[string]*sql.Stmt{}, bulks: map[bulkSize]driver.StmtExecContext{}}
}

// transact runs f in a transaction. Whatever ends it early, an error, the end of ctx or a panic,
// rolls it back.
func (s *session) transact(ctx context.Context, begin string, f func(trowel.Tx) error) error {
	if _, err := s.exec(ctx, begin); err != nil {
		if ctx.Err() != nil {
			_ = s.rollback(ctx) // it may have begun all the same, and only if it has there is something to roll back
		}
		return fmt.Errorf("begin a transaction: %w", err)
	}
	returned := false
	defer func() {
		if !returned {
			_ = s.rollback(ctx) // the panic goes on, and tells more
		}
	}()
	err := f(&tx{s})
	returned = true
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return errors.Join(err, s.rollback(ctx))
	}
	// To give up a commit half-way would leave open whether it happened.
	if _, err := s.exec(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return errors.Join(fmt.Errorf("commit: %w", err), s.rollback(ctx))
	}
	return nil
}

// rollback also runs when ctx has ended: the connection must not stay inside a transaction.
func (s *session) rollback(ctx context.Context) error {
	if _, err := s.exec(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

func (s *session) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := s.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, s.dialect.Classify(err)
	}
	s.stmts[query] = stmt
	return stmt, nil
}

// clean makes texts such that every backend keeps them.
func clean(args []any) []any {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = text(s)
		}
	}
	return args
}

// exec runs a statement and returns how many rows it changed.
func (s *session) exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, clean(args)...)
	if err != nil {
		return 0, s.dialect.Classify(err)
	}
	return res.RowsAffected()
}

// row runs a query for at most one row; no row is trowel.ErrNotFound.
func (s *session) row(ctx context.Context, query string, args []any, dest ...any) error {
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return err
	}
	err = stmt.QueryRowContext(ctx, clean(args)...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return trowel.ErrNotFound
	}
	return s.dialect.Classify(err)
}

// rows runs a query and calls each for every row.
func (s *session) rows(ctx context.Context, query string, args []any, each func(scan func(...any) error) error) error {
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, clean(args)...)
	if err != nil {
		return s.dialect.Classify(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return s.dialect.Classify(rows.Err())
}

func (s *session) close() error {
	var errs []error
	for _, stmt := range s.stmts {
		errs = append(errs, stmt.Close())
	}
	errs = append(errs, s.conn.Raw(func(any) error {
		var errs []error
		for _, stmt := range s.bulks {
			if closer, ok := stmt.(driver.Stmt); ok {
				errs = append(errs, closer.Close())
			}
		}
		return errors.Join(errs...)
	}))
	return errors.Join(append(errs, s.conn.Close())...)
}
