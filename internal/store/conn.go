package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// connection is one connection with its prepared statements, unless the driver keeps them. It is not
// for concurrent use.
type connection struct {
	conn         *sql.Conn
	dialect      Dialect
	stmts        map[string]*sql.Stmt
	bulks        map[bulk]RowStatement
	values       values
	failed       error  // the error of the first failed statement in the open transaction
	pendingBegin string // the statement that begins the transaction, until it is sent with the first statement
	unconfirmed  bool   // the database has not confirmed that the transaction began

	pipe     Pipe // nil unless statements were sent and not answered yet
	stopPipe context.CancelFunc
	piped    []piped
	texts    *bulkTexts
}

func newConnection(conn *sql.Conn, dialect Dialect) *connection {
	return &connection{conn: conn, dialect: dialect, stmts: map[string]*sql.Stmt{}, bulks: map[bulk]RowStatement{}}
}

// begin begins a transaction. If there is a pipe, a writing transaction begins with its first statement.
func (c *connection) begin(ctx context.Context, statement string) error {
	c.failed, c.unconfirmed = nil, false
	if c.dialect.Pipe != nil && statement == c.dialect.BeginWrite {
		c.pendingBegin = statement
		return nil
	}
	return c.beginNow(ctx, statement)
}

func (c *connection) beginNow(ctx context.Context, statement string) error {
	err := c.control(ctx, statement)
	c.unconfirmed = err != nil
	if err != nil {
		if ctx.Err() != nil {
			_ = c.rollback(ctx) // the transaction may have begun; if not, this does nothing
		}
		return fmt.Errorf("begin a transaction: %w", err)
	}
	return nil
}

// finish runs f in the transaction that has begun, and commits it. An error, the end of ctx or a panic
// rolls it back. So does a failed statement, even if f ignores its error, as the database may have given up
// the transaction.
func (c *connection) finish(ctx context.Context, store string, f func(trowel.Tx) error) error {
	returned := false
	defer func() {
		if !returned {
			_ = c.abort(ctx, nil) // the panic goes on, and says more
		}
	}()
	err := f(&tx{connection: c, store: store})
	returned = true
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = c.closePipe(ctx)
	}
	if err == nil {
		err = c.failed
	}
	if err != nil {
		return c.abort(ctx, err)
	}
	if c.pendingBegin != "" {
		c.pendingBegin = ""
		return nil
	}
	// A commit that is cut off would leave open whether it happened.
	if err := c.control(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return c.abort(ctx, fmt.Errorf("commit: %w", err))
	}
	return nil
}

// abort rolls back because of an error. If the database is away, only that error is reported: the database
// has rolled back, or will.
func (c *connection) abort(ctx context.Context, cause error) error {
	if c.pendingBegin != "" {
		c.pendingBegin = ""
		return cause
	}
	err := c.rollback(ctx)
	if errors.Is(cause, trowel.ErrUnavailable) {
		return cause
	}
	return errors.Join(cause, err)
}

// rollback also works when ctx has ended, as the connection must not stay inside a transaction.
func (c *connection) rollback(ctx context.Context) error {
	if err := c.control(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

func (c *connection) control(ctx context.Context, statement string) error {
	_ = c.closePipe(ctx) // a commit has checked this before, and all else is rolled back
	if c.dialect.TransactionControl == nil {
		_, err := c.exec(ctx, statement)
		return err
	}
	limited, cancel := limit(ctx, c.dialect.Timeout)
	defer cancel()
	return classify(ctx, c.dialect, c.dialect.TransactionControl(limited, c.conn, statement))
}

// ready waits for the answers to what was sent, and makes sure that the transaction has begun.
func (c *connection) ready(ctx context.Context) error {
	if err := c.closePipe(ctx); err != nil {
		return err
	}
	if c.pendingBegin == "" {
		return nil
	}
	statement := c.pendingBegin
	c.pendingBegin = ""
	return c.fail(ctx, c.beginNow(ctx, statement))
}

// limit returns a context with a deadline after d, unless d is zero.
func limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// classify gives an error its kind. A timeout although ctx has not ended means that the database
// is away.
func classify(ctx context.Context, dialect Dialect, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", trowel.ErrUnavailable, err)
	}
	return dialect.Classify(err)
}

// fail classifies the error of a statement and remembers it for the end of the transaction.
func (c *connection) fail(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	err = classify(ctx, c.dialect, err)
	if c.failed == nil {
		c.failed = err
	}
	return err
}

func (c *connection) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := c.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := c.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = stmt
	return stmt, nil
}

// clean makes texts that every backend keeps as they are.
func clean(args []any) []any {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = text(s)
		}
	}
	return args
}

// exec runs a statement and returns how many rows it changed.
func (c *connection) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := c.ready(ctx); err != nil {
		return 0, err
	}
	limited, cancel := limit(ctx, c.dialect.Timeout)
	defer cancel()
	res, err := c.result(limited, query, clean(args))
	if err != nil {
		return 0, c.fail(ctx, err)
	}
	return res.RowsAffected()
}

func (c *connection) result(ctx context.Context, query string, args []any) (sql.Result, error) {
	if c.dialect.KeepsStatements {
		return c.conn.ExecContext(ctx, query, args...)
	}
	stmt, err := c.prepare(ctx, query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// row runs a query for at most one row. It returns trowel.ErrNotFound if there is none.
func (c *connection) row(ctx context.Context, query string, args []any, dest ...any) error {
	found := false
	err := c.rows(ctx, query, args, func(scan func(...any) error) error {
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
func (c *connection) rows(ctx context.Context, query string, args []any, each func(scan func(...any) error) error) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	limited, cancel := limit(ctx, c.dialect.Timeout)
	defer cancel()
	rows, err := c.query(limited, query, clean(args))
	if err != nil {
		return c.fail(ctx, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return c.fail(ctx, rows.Err())
}

func (c *connection) query(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	if c.dialect.KeepsStatements {
		return c.conn.QueryContext(ctx, query, args...)
	}
	stmt, err := c.prepare(ctx, query) //nolint:sqlclosecheck // the connection keeps it
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (c *connection) close() error {
	var errs []error
	for _, stmt := range c.stmts {
		errs = append(errs, stmt.Close())
	}
	if len(c.bulks) > 0 {
		errs = append(errs, c.conn.Raw(func(any) error {
			var errs []error
			for _, stmt := range c.bulks {
				errs = append(errs, stmt.Close())
			}
			return errors.Join(errs...)
		}))
	}
	if err := c.conn.Close(); !errors.Is(err, sql.ErrConnDone) { // a lost connection is closed already
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
