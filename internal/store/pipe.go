package store

import (
	"context"
	"fmt"
)

// Pipe sends statements to a database that executes them while others are made: nobody waits for each.
// It is not for concurrent use, and its connection is not used otherwise meanwhile.
type Pipe interface {
	// Send sends a statement, and takes from its answer only how many rows it is about. It takes a value of
	// each column if there is one row, and else an array.
	Send(statement string, columns []Column, rows int) error
	// Flush lets the database begin with what was sent.
	Flush() error
	// Close waits for all that was sent and returns how many rows each changed. After an error of one the
	// database skips the others.
	Close() ([]int64, error)
}

const (
	// bulkRows is how many rows one statement with arrays takes at most.
	bulkRows = 1024
	// singleRows is how many rows are sent one by one: what arrays cost before their first row is as much as
	// that (an update of 9 columns in PostgreSQL: 4 rows 91 µs, in arrays 200; 8 rows 154 and 185; 16 rows 266
	// and 282).
	singleRows = 8
)

// piped is a statement that was sent and of which nothing was heard.
type piped struct {
	table   string
	rows    int64
	missing func(rows int64) error // nil if any number may change
}

// pipedStatement is a statement for rows of values, for a pipe, that no bulk describes.
type pipedStatement struct {
	table   string
	columns string // of the values, as in bulk
	one     string // the statement for one row of values
	arrays  string // the statement for an array for each column
}

func (q pipedStatement) texts() (table, single, arrays string, all []column) {
	return q.table, q.one, q.arrays, columns(q.columns)
}

// send sends a statement over n rows in pieces.
func (s *session) send(ctx context.Context, b statement, n int, fill func(v *values, i int), missing func(rows int64) error) error {
	if err := s.openPipe(ctx); err != nil {
		return s.fail(ctx, err)
	}
	text := s.texts.of(b)
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
		if err := s.sendOne(ctx, statement, v.columns, piped{text.table, int64(rows), missing}); err != nil {
			return err
		}
	}
	return s.flushPipe(ctx)
}

// flushPipe lets the database begin.
func (s *session) flushPipe(ctx context.Context) error {
	err := s.pipe.Flush()
	if err != nil {
		_ = s.closePipe(ctx) // this error came first
	}
	return s.fail(ctx, err)
}

// sendOne sends one statement in the open pipe.
func (s *session) sendOne(ctx context.Context, statement string, columns []Column, p piped) error {
	if err := s.pipe.Send(statement, columns, max(1, int(p.rows))); err != nil {
		_ = s.closePipe(ctx) // this error came first
		return s.fail(ctx, err)
	}
	s.piped = append(s.piped, p)
	return nil
}

func (s *session) openPipe(ctx context.Context) (err error) {
	if s.pipe != nil {
		return nil
	}
	limited, cancel := limit(ctx, s.dialect.Timeout)
	s.pipe, err = s.dialect.Pipe(limited, s.conn)
	if err != nil {
		cancel()
		return err
	}
	s.stopPipe = cancel
	if s.unbegun == "" {
		return nil
	}
	statement := s.unbegun
	s.unbegun, s.unheard = "", true
	return s.sendOne(ctx, statement, nil, piped{table: "none"})
}

// closePipe waits for all statements that were sent, and returns the first error of them. It is called
// before anything else is done on the connection.
func (s *session) closePipe(ctx context.Context) error {
	if s.pipe == nil {
		return nil
	}
	changed, err := s.pipe.Close()
	s.stopPipe()
	sent := s.piped
	s.pipe, s.piped = nil, nil
	s.unheard = s.unheard && len(changed) == 0
	if err != nil {
		if len(changed) < len(sent) && sent[len(changed)].rows > 0 {
			err = fmt.Errorf("write %d rows of table %s: %w", sent[len(changed)].rows, sent[len(changed)].table, err)
		}
		return s.fail(ctx, err)
	}
	if len(changed) != len(sent) {
		return s.fail(ctx, fmt.Errorf("the database answered %d of %d statements", len(changed), len(sent)))
	}
	for i, p := range sent {
		if p.missing != nil && changed[i] != p.rows {
			return s.fail(ctx, p.missing(p.rows-changed[i]))
		}
	}
	return nil
}

// Settle waits for what was sent.
func (t *tx) Settle(ctx context.Context) error { return t.closePipe(ctx) }
