package store

import "sync"

// statement is one that a pipe takes, of which the texts are made once. It is comparable.
type statement interface {
	// texts returns the table that it is about, its text for one row of values and that for an array of each
	// column, and the columns.
	texts() (table, single, arrays string, columns []column)
}

// bulkTexts keeps what is made of bulk statements for a pipe. It is safe for concurrent use.
type bulkTexts struct{ pools sync.Map } // of *sync.Pool with *bulkText, by statement

// bulkText are the forms of a bulk statement, and columns for its values, for one who sends it.
type bulkText struct {
	pool           *sync.Pool
	table          string
	single, arrays string
	columns        []Column
}

// of returns what is made of a statement, to be freed when it was sent.
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

// emptied returns the columns, which are those that are written and then the keys, without values.
func (t *bulkText) emptied() []Column {
	for i := range t.columns {
		t.columns[i].Nulls, t.columns[i].Data = false, t.columns[i].Data[:0]
	}
	return t.columns
}

// largeColumn is how many bytes a column may have that is used again.
const largeColumn = 256 << 10

func (t *bulkText) free() {
	for i := range t.columns {
		if cap(t.columns[i].Data) > largeColumn {
			t.columns[i].Data = nil
		}
	}
	t.pool.Put(t)
}
