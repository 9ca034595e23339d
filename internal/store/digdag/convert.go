package digdag

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// seconds reads a time of schedules and sessions (server 6.1). NULL is the zero instant.
func seconds(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.Unix(n.Int64, 0).UTC()
}

// object reads a JSON column. NULL is an empty object (server 6.1).
func object(text sql.NullString) (*param.Map, error) {
	if text.String == "" {
		return param.New(), nil
	}
	return param.ParseMap(text.String)
}

// broken returns the error about a row that cannot be read.
func broken(table string, id int64, err error) error {
	return fmt.Errorf("read row %d of Digdag's table %s: %w", id, table, err)
}

// Limits of rows and bytes that are written at once, so that memory use stays constant.
const (
	batchRows  = 1000
	batchBytes = 4 << 20
)

// batch collects rows until there are enough for a statement.
type batch[T any] struct {
	write func(ctx context.Context, rows []T) error
	rows  []T
	bytes int
}

// add takes a row with about so many bytes.
func (b *batch[T]) add(ctx context.Context, row T, bytes int) error {
	b.rows, b.bytes = append(b.rows, row), b.bytes+bytes
	if len(b.rows) < batchRows && b.bytes < batchBytes {
		return nil
	}
	return b.flush(ctx)
}

func (b *batch[T]) flush(ctx context.Context) error {
	if len(b.rows) == 0 {
		return nil
	}
	err := b.write(ctx, b.rows)
	clear(b.rows)
	b.rows, b.bytes = b.rows[:0], 0
	return err
}
