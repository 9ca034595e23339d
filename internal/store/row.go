package store

import "github.com/trowel-project/trowel/internal/param"

// RowStatement is a prepared statement for rows, one at a time. It is not for concurrent use, nor while the
// connection is used otherwise.
type RowStatement interface {
	// Exec executes it with a row that has a value for each of its places, and returns how many rows of the
	// table changed. It keeps nothing of the row.
	Exec(row *Row) (int64, error)
	// Close frees the statement; it is called before the connection is closed.
	Close() error
}

// Row has the values of one row. It is used for row after row: nothing is allocated for a value.
type Row struct {
	Values []Value
	Data   []byte // of texts and bytes, one behind the other
}

// Value is one value of a Row.
type Value struct {
	Kind   ValueKind
	Number int64 // or the length of its part of Data
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
