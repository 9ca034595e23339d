package store

import "sync"

// bulkTexts keeps what is made of bulk statements for a pipe. It is safe for concurrent use.
type bulkTexts struct{ pools sync.Map } // of *sync.Pool with *bulkText, by bulk

// bulkText are the forms of a bulk statement, and columns for its values, for one who sends it.
type bulkText struct {
	pool           *sync.Pool
	single, arrays string
	columns        []Column
}

// of returns what is made of a statement, to be freed when it was sent.
func (t *bulkTexts) of(b bulk) *bulkText {
	pool, ok := t.pools.Load(b)
	if !ok {
		pool, _ = t.pools.LoadOrStore(b, &sync.Pool{})
	}
	shared, _ := pool.(*sync.Pool)
	if text, ok := shared.Get().(*bulkText); ok {
		return text
	}
	text := &bulkText{pool: shared, single: b.single(false), arrays: b.arrays()}
	for _, c := range append(columns(b.columns), columns(b.keys)...) {
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
