package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// session is one connection, with its prepared statements unless the driver keeps them. It is not
// for concurrent use.
type session struct {
	conn    *sql.Conn
	dialect Dialect
	stmts   map[string]*sql.Stmt
	bulks   map[bulk]RowStatement
	values  values
	failed  error  // of the first statement of the open transaction that failed
	unbegun string // what begins the transaction, until it is sent with its first statement
	unheard bool   // that was sent, and the database has not answered

	pipe     Pipe // nil unless something was sent of which nothing was heard
	stopPipe context.CancelFunc
	piped    []piped
	texts    *bulkTexts
}

func newSession(conn *sql.Conn, dialect Dialect) *session {
	return &session{conn: conn, dialect: dialect, stmts: map[string]*sql.Stmt{}, bulks: map[bulk]RowStatement{}}
}

// begin begins a transaction. One that writes, where there is a pipe, begins with its first statement.
func (s *session) begin(ctx context.Context, statement string) error {
	s.failed, s.unheard = nil, false
	if s.dialect.Pipe != nil && statement == s.dialect.BeginWrite {
		s.unbegun = statement
		return nil
	}
	return s.beginNow(ctx, statement)
}

func (s *session) beginNow(ctx context.Context, statement string) error {
	err := s.control(ctx, statement)
	s.unheard = err != nil
	if err != nil {
		if ctx.Err() != nil {
			_ = s.rollback(ctx) // it may have begun all the same, and only if it has there is something to roll back
		}
		return fmt.Errorf("begin a transaction: %w", err)
	}
	return nil
}

// finish runs f in the transaction that has begun, and commits it. Whatever ends it early, an error,
// the end of ctx or a panic, rolls it back. So does a statement that failed when f says nothing of
// it: a database may have given the transaction up.
func (s *session) finish(ctx context.Context, store string, f func(trowel.Tx) error) error {
	returned := false
	defer func() {
		if !returned {
			_ = s.giveUp(ctx, nil) // the panic goes on, and tells more
		}
	}()
	err := f(&tx{session: s, store: store})
	returned = true
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = s.closePipe(ctx)
	}
	if err == nil {
		err = s.failed
	}
	if err != nil {
		return s.giveUp(ctx, err)
	}
	if s.unbegun != "" {
		s.unbegun = ""
		return nil
	}
	// To give up a commit half-way would leave open whether it happened.
	if err := s.control(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return s.giveUp(ctx, fmt.Errorf("commit: %w", err))
	}
	return nil
}

// giveUp rolls back because of an error. Of a database that is not there nothing else is said: it
// has rolled back, or will.
func (s *session) giveUp(ctx context.Context, cause error) error {
	if s.unbegun != "" {
		s.unbegun = ""
		return cause
	}
	err := s.rollback(ctx)
	if errors.Is(cause, trowel.ErrUnavailable) {
		return cause
	}
	return errors.Join(cause, err)
}

// rollback also runs when ctx has ended: the connection must not stay inside a transaction.
func (s *session) rollback(ctx context.Context) error {
	if err := s.control(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

func (s *session) control(ctx context.Context, statement string) error {
	_ = s.closePipe(ctx) // a commit has asked before, and all else gives up
	if s.dialect.Control == nil {
		_, err := s.exec(ctx, statement)
		return err
	}
	limited, cancel := limit(ctx, s.dialect.Timeout)
	defer cancel()
	return classify(ctx, s.dialect, s.dialect.Control(limited, s.conn, statement))
}

// ready waits for what was sent before, and sees to it that the transaction has begun.
func (s *session) ready(ctx context.Context) error {
	if err := s.closePipe(ctx); err != nil {
		return err
	}
	if s.unbegun == "" {
		return nil
	}
	statement := s.unbegun
	s.unbegun = ""
	return s.fail(ctx, s.beginNow(ctx, statement))
}

// limit gives what is done under ctx a deadline, unless d is zero.
func limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// classify gives an error its kind. What takes too long although ctx has not ended is a database
// that is not there.
func classify(ctx context.Context, dialect Dialect, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", trowel.ErrUnavailable, err)
	}
	return dialect.Classify(err)
}

// fail notes and classifies the error of a statement.
func (s *session) fail(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	err = classify(ctx, s.dialect, err)
	if s.failed == nil {
		s.failed = err
	}
	return err
}

func (s *session) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := s.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
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
	if err := s.ready(ctx); err != nil {
		return 0, err
	}
	limited, cancel := limit(ctx, s.dialect.Timeout)
	defer cancel()
	res, err := s.result(limited, query, clean(args))
	if err != nil {
		return 0, s.fail(ctx, err)
	}
	return res.RowsAffected()
}

func (s *session) result(ctx context.Context, query string, args []any) (sql.Result, error) {
	if s.dialect.KeepsStatements {
		return s.conn.ExecContext(ctx, query, args...)
	}
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// row runs a query for at most one row; no row is trowel.ErrNotFound.
func (s *session) row(ctx context.Context, query string, args []any, dest ...any) error {
	found := false
	err := s.rows(ctx, query, args, func(scan func(...any) error) error {
		if found {
			return nil
		}
		found = true
		return scan(dest...)
	})
	if err == nil && !found {
		return trowel.ErrNotFound
	}
	return err
}

// rows runs a query and calls each for every row.
func (s *session) rows(ctx context.Context, query string, args []any, each func(scan func(...any) error) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	limited, cancel := limit(ctx, s.dialect.Timeout)
	defer cancel()
	rows, err := s.query(limited, query, clean(args))
	if err != nil {
		return s.fail(ctx, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return s.fail(ctx, rows.Err())
}

func (s *session) query(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	if s.dialect.KeepsStatements {
		return s.conn.QueryContext(ctx, query, args...)
	}
	stmt, err := s.prepare(ctx, query) //nolint:sqlclosecheck // the session keeps it
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (s *session) close() error {
	var errs []error
	for _, stmt := range s.stmts {
		errs = append(errs, stmt.Close())
	}
	if len(s.bulks) > 0 {
		errs = append(errs, s.conn.Raw(func(any) error {
			var errs []error
			for _, stmt := range s.bulks {
				errs = append(errs, stmt.Close())
			}
			return errors.Join(errs...)
		}))
	}
	if err := s.conn.Close(); !errors.Is(err, sql.ErrConnDone) { // a lost connection is closed already
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
