package store

import (
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/param"
)

// values takes the values of a bulk statement in the order of its columns: those of one row, or those of many rows as
// columns. Empty values become NULL unless a method says otherwise.
type values struct {
	row     Row
	columns []Column // nil for one row
	next    int      // the column of the next value
}

// column returns the column of the next value.
func (v *values) column() *Column {
	c := &v.columns[v.next]
	v.next++
	if v.next == len(v.columns) {
		v.next = 0
	}
	return c
}

func (v *values) null() {
	if v.columns != nil {
		v.column().null()
		return
	}
	v.row.add(Null, 0)
}

// number adds a number. Zero stays zero.
func (v *values) number(n int64) {
	if v.columns != nil {
		v.column().number(n)
		return
	}
	v.row.add(Number, n)
}

func (v *values) bool(b bool) {
	if v.columns != nil {
		v.column().bool(b)
		return
	}
	n := int64(0)
	if b {
		n = 1
	}
	v.row.add(Number, n)
}

// whole adds a text that every backend keeps as it is. An empty one stays empty.
func (v *values) whole(s string) {
	if v.columns != nil {
		v.column().text(s)
		return
	}
	v.row.text(s)
}

// name adds a text. An empty one stays empty.
func (v *values) name(s string) { v.whole(text(s)) }

func (v *values) text(s string) {
	if s == "" {
		v.null()
		return
	}
	v.whole(text(s))
}

func (v *values) instant(at time.Time) {
	if at.IsZero() {
		v.null()
		return
	}
	v.number(at.UnixMicro())
}

func (v *values) object(m *param.Map) {
	switch {
	case m.Len() == 0:
		v.null()
	case v.columns != nil:
		v.column().object(m)
	default:
		v.row.object(m)
	}
}

func (v *values) lines(list []string) {
	if len(list) == 0 {
		v.null()
		return
	}
	v.whole(joined(list))
}

func (v *values) bytes(data []byte) {
	switch {
	case len(data) == 0:
		v.null()
	case v.columns != nil:
		v.column().bytes(data)
	default:
		v.row.bytes(data)
	}
}

func (v *values) id(id int64) {
	if id == 0 {
		v.null()
		return
	}
	v.number(id)
}

// number returns an id for a statement. Zero becomes NULL.
func number[T ~int64](id T) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

// micros returns an instant for a statement. The zero instant becomes NULL.
func micros(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UnixMicro()
}

func instant(micros sql.NullInt64) time.Time {
	if !micros.Valid {
		return time.Time{}
	}
	return time.UnixMicro(micros.Int64).UTC()
}

// object returns an object as JSON for a statement. An empty one becomes NULL.
func object(m *param.Map) any {
	if m.Len() == 0 {
		return nil
	}
	return param.JSON(m)
}

// readObject reads a JSON column. NULL is an empty object.
func readObject(text sql.NullString) (*param.Map, error) {
	if !text.Valid || text.String == "" {
		return param.New(), nil
	}
	m, err := param.ParseMap(text.String)
	if err != nil {
		return nil, fmt.Errorf("read a stored object: %w", err)
	}
	return m, nil
}

// text returns a text that every backend keeps. Bytes that are not UTF-8 become U+FFFD, and so does NUL, which
// PostgreSQL refuses.
func text(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\ufffd")
	}
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // one U+FFFD for each byte, as in JSON
}

// optional returns a text for a statement. An empty one becomes NULL.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return text(s)
}

// joined writes a list of texts without line breaks. Each has a line break after it, so that a list of one empty
// text is not empty.
func joined(list []string) string { return text(strings.Join(list, "\n") + "\n") }

func readLines(text sql.NullString) []string {
	if text.String == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text.String, "\n"), "\n")
}
