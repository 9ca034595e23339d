package td

import (
	"context"
	"fmt"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// Texts of operators 8.8.
const (
	countEmpty = "Got unexpected empty result for count job: %s"
	countSize  = "Got unexpected result row size for count job: %d"
	countType  = "Got unexpected value type count job: %s"
)

const (
	keyTableExists = "table_exists"

	// longestTableWait is the longest pause between two looks whether the table exists.
	longestTableWait = 30 * time.Second
)

// waitTable is a td_wait_table> (operators 8.8).
type waitTable struct {
	waiter
	table tableRef
	rows  int64
}

func (w *waitTable) read(_ context.Context, t *task) (err error) {
	if w.table, err = readTable(t.params, "_command"); err != nil {
		return err
	}
	if w.rows, err = t.params.LongOr("rows", 0); err != nil {
		return err
	}
	return w.waiter.read(t)
}

func (w *waitTable) run(ctx context.Context, t *task) error {
	if err := w.waitForTable(ctx, t); err != nil || w.rows <= 0 {
		return err
	}
	return w.look(ctx, t, w.begin(t), w.enough)
}

// waitForTable asks for another run while the table does not exist.
func (w *waitTable) waitForTable(ctx context.Context, t *task) error {
	if seen, err := t.steps.Read().BoolOr(keyTableExists, false); err != nil || seen {
		return err
	}
	var there bool
	err := t.steps.Retry(t.retryHow("exists"), func(*operator.Steps) (err error) {
		there, err = t.client.HasTable(ctx, w.table.in(t.database), w.table.table)
		return err
	})
	switch {
	case err != nil:
		return err
	case !there:
		return operator.Later(min(w.interval, longestTableWait))
	}
	t.steps.State().Set(keyTableExists, true)
	return nil
}

func (w *waitTable) begin(t *task) beginJob {
	return func(ctx context.Context, domainKey string) (string, error) {
		name := w.table.quoted(w.options.engine)
		text := "select count(*) from " + name
		if w.options.engine == engineHive {
			text = fmt.Sprintf("select count(*) from (select * from %s limit %d) sub", name, w.rows)
		}
		query, err := w.options.query(t.database, text, domainKey)
		if err != nil {
			return "", err
		}
		return t.client.Query(ctx, query)
	}
}

// enough reports whether the table has the rows that are waited for.
func (w *waitTable) enough(id string, row param.List) (bool, error) {
	if row == nil {
		return false, operator.Runtimef(countEmpty, id)
	}
	if len(row) != 1 {
		return false, operator.Runtimef(countSize, len(row))
	}
	count, ok := row[0].(int64)
	if !ok {
		return false, operator.Runtimef(countType, typeName(row[0]))
	}
	return count >= w.rows, nil
}

// typeName returns the name of a value's type in MessagePack.
func typeName(value param.Value) string {
	switch value.(type) {
	case nil:
		return "NIL"
	case bool:
		return "BOOLEAN"
	case float64:
		return "FLOAT"
	case string:
		return "STRING"
	case param.List:
		return "ARRAY"
	case *param.Map:
		return "MAP"
	default:
		return "INTEGER"
	}
}
