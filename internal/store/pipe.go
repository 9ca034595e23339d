package store

import (
	"context"
	"fmt"
)

// Pipe sends statements to a database, which executes them while the next ones are made. Nobody waits for each of them.
// It is not for concurrent use, and its connection must not be used otherwise until it is closed.
type Pipe interface {
	// Send sends a statement. Each column has one value if there is one row, and else an array. Of the answer only
	// the number of changed rows is kept.
	Send(statement string, columns []Column, rows int) error
	// Flush makes the database begin with what was sent.
	Flush() error
	// Close waits for the answers, and returns how many rows each statement changed. After an error the
	// database skips the remaining statements.
	Close() ([]int64, error)
}

const (
	// bulkRows is the largest number of rows in one statement with arrays.
	bulkRows = 1024
	// singleRows is how many rows are sent one by one. An array costs as much before its first row (an update of 9 columns
	// in PostgreSQL: 4 rows 91 µs, in arrays 200; 8 rows 154 and 185; 16 rows 266 and 282).
	singleRows = 8
)

// piped is a statement that was sent and not answered yet.
type piped struct {
	table   string
	rows    int64
	missing func(rows int64) error // nil if any number may change
}

// pipedStatement is a statement for a pipe that a bulk cannot describe.
type pipedStatement struct {
	table   string
	columns string // columns of the values, in the form of bulk
	one     string // the statement for one row of values
	arrays  string // the statement for an array for each column
}

func (q pipedStatement) texts() (table, single, arrays string, all []column) {
	return q.table, q.one, q.arrays, columns(q.columns)
}

// send sends a statement over n rows in pieces.
func (c *connection) send(ctx context.Context, b statement, n int, fill func(v *values, i int), missing func(rows int64) error) error {
	if err := c.openPipe(ctx); err != nil {
		return c.fail(ctx, err)
	}
	text := c.texts.of(b)
	defer text.free()
	most := bulkRows
	if n <= singleRows {
		most = 1
	}
	for done := 0; done < n; done += most {
		rows := min(n-done, most)
		v := &values{columns: text.emptied()}
		for i := range rows {
			fill(v, done+i)
		}
		statement := text.arrays
		if rows == 1 {
			statement = text.single
		}
		if err := c.sendOne(ctx, statement, v.columns, piped{text.table, int64(rows), missing}); err != nil {
			return err
		}
	}
	return c.flushPipe(ctx)
}

// flushPipe makes the database begin with what was sent.
func (c *connection) flushPipe(ctx context.Context) error {
	err := c.pipe.Flush()
	if err != nil {
		_ = c.closePipe(ctx) // this error came first
	}
	return c.fail(ctx, err)
}

// sendOne sends one statement in the open pipe.
func (c *connection) sendOne(ctx context.Context, statement string, columns []Column, p piped) error {
	if err := c.pipe.Send(statement, columns, max(1, int(p.rows))); err != nil {
		_ = c.closePipe(ctx) // this error came first
		return c.fail(ctx, err)
	}
	c.piped = append(c.piped, p)
	return nil
}

func (c *connection) openPipe(ctx context.Context) (err error) {
	if c.pipe != nil {
		return nil
	}
	limited, cancel := limit(ctx, c.dialect.Timeout)
	c.pipe, err = c.dialect.Pipe(limited, c.conn)
	if err != nil {
		cancel()
		return err
	}
	c.stopPipe = cancel
	if c.pendingBegin == "" {
		return nil
	}
	statement := c.pendingBegin
	c.pendingBegin, c.unconfirmed = "", true
	return c.sendOne(ctx, statement, nil, piped{table: "none"})
}

// closePipe waits until all statements that were sent are answered, and returns their first error. It is called
// before the connection is used for anything else.
func (c *connection) closePipe(ctx context.Context) error {
	if c.pipe == nil {
		return nil
	}
	changed, err := c.pipe.Close()
	c.stopPipe()
	sent := c.piped
	c.pipe, c.piped = nil, nil
	c.unconfirmed = c.unconfirmed && len(changed) == 0
	if err != nil {
		if len(changed) < len(sent) && sent[len(changed)].rows > 0 {
			err = fmt.Errorf("write %d rows of table %s: %w", sent[len(changed)].rows, sent[len(changed)].table, err)
		}
		return c.fail(ctx, err)
	}
	if len(changed) != len(sent) {
		return c.fail(ctx, fmt.Errorf("the database answered %d of %d statements", len(changed), len(sent)))
	}
	for i, p := range sent {
		if p.missing != nil && changed[i] != p.rows {
			return c.fail(ctx, p.missing(p.rows-changed[i]))
		}
	}
	return nil
}

// Sync implements trowel.Tx.
func (t *tx) Sync(ctx context.Context) error { return t.closePipe(ctx) }
