package store

import "sync"

// statement is a statement for a pipe. Its texts are made once. It is comparable.
type statement interface {
	// texts returns the table that the statement is about, its text for one row of values, its text for an array of each
	// column, and the columns.
	texts() (table, single, arrays string, columns []column)
}

// bulkTexts keeps the texts of statements for pipes. It is safe for concurrent use.
type bulkTexts struct{ pools sync.Map } // of *sync.Pool with *bulkText, by statement

// bulkText has the texts of a statement, and columns for its values. One sender uses it at a time.
type bulkText struct {
	pool           *sync.Pool
	table          string
	single, arrays string
	columns        []Column
}

// of returns the texts of a statement. The caller frees them when the statement is sent.
func (t *bulkTexts) of(b statement) *bulkText {
	pool, ok := t.pools.Load(b)
	if !ok {
		pool, _ = t.pools.LoadOrStore(b, &sync.Pool{})
	}
	shared, _ := pool.(*sync.Pool)
	if text, ok := shared.Get().(*bulkText); ok {
		return text
	}
	text := &bulkText{pool: shared}
	var all []column
	text.table, text.single, text.arrays, all = b.texts()
	for _, c := range all {
		text.columns = append(text.columns, Column{Kind: c.kind})
	}
	return text
}

// emptied returns the columns without values: first those to write, then the keys.
func (t *bulkText) emptied() []Column {
	for i := range t.columns {
		t.columns[i].Nulls, t.columns[i].Data = false, t.columns[i].Data[:0]
	}
	return t.columns
}

// largeColumn is the largest size in bytes of a column that is kept for the next statement.
const largeColumn = 256 << 10

func (t *bulkText) free() {
	for i := range t.columns {
		if cap(t.columns[i].Data) > largeColumn {
			t.columns[i].Data = nil
		}
	}
	t.pool.Put(t)
}
