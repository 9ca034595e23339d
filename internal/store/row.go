package store

import "github.com/trowel-project/trowel/internal/param"

// RowStatement is a prepared statement for one row at a time. It is not for concurrent use, and its connection must
// not be used meanwhile.
type RowStatement interface {
	// Exec executes the statement with a row, which has a value for each of its places. It returns how many rows of the
	// table changed, and keeps nothing of row.
	Exec(row *Row) (int64, error)
	// Close frees the statement. It must be called before the connection is closed.
	Close() error
}

// Row has the values of one row. It is reused for the next row, so that nothing is allocated for a value.
type Row struct {
	Values []Value
	Data   []byte // texts and bytes, one after the other
}

// Value is one value of a Row.
type Value struct {
	Kind   ValueKind
	Number int64 // the number, or the length of the value in Data
}

// ValueKind is the type of a Value.
type ValueKind uint8

// Kinds of values. A flag is a number.
const (
	Null ValueKind = iota
	Number
	Text
	Bytes
)

func (r *Row) empty() { r.Values, r.Data = r.Values[:0], r.Data[:0] }

func (r *Row) add(kind ValueKind, n int64) { r.Values = append(r.Values, Value{kind, n}) }

func (r *Row) text(s string) {
	r.Data = append(r.Data, s...)
	r.add(Text, int64(len(s)))
}

func (r *Row) bytes(data []byte) {
	r.Data = append(r.Data, data...)
	r.add(Bytes, int64(len(data)))
}

func (r *Row) object(m *param.Map) {
	begin := len(r.Data)
	r.Data = param.AppendJSON(r.Data, m)
	r.add(Text, int64(len(r.Data)-begin))
}
