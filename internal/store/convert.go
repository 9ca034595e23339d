package store

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trowel-project/trowel/internal/param"
)

// values takes the values of one row of a bulk statement, in the order of its columns. What is
// empty becomes NULL, except where a method says otherwise.
type values []driver.NamedValue

func (v *values) add(value any) {
	*v = append(*v, driver.NamedValue{Ordinal: len(*v) + 1, Value: value})
}

func (v *values) number(n int64)       { v.add(n) } // zero is zero
func (v *values) bool(b bool)          { v.add(b) }
func (v *values) name(s string)        { v.add(text(s)) } // empty stays empty
func (v *values) text(s string)        { v.add(optional(s)) }
func (v *values) instant(at time.Time) { v.add(micros(at)) }
func (v *values) object(m *param.Map)  { v.add(object(m)) }
func (v *values) lines(list []string)  { v.add(lines(list)) }

func (v *values) bytes(data []byte) {
	if len(data) == 0 {
		v.add(nil)
		return
	}
	v.add(data)
}

func (v *values) id(id int64) {
	if id == 0 {
		v.add(nil)
		return
	}
	v.add(id)
}

// number writes an id; zero is NULL.
func number[T ~int64](id T) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

// micros writes an instant; the zero instant is NULL.
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

// object writes an object as JSON; an empty one is NULL.
func object(m *param.Map) any {
	if m.Len() == 0 {
		return nil
	}
	return param.JSON(m)
}

// readObject reads a JSON column; NULL is an empty object.
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

// text makes a text that every backend keeps: what is not UTF-8 becomes U+FFFD, and so does NUL,
// which PostgreSQL refuses.
func text(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\ufffd")
	}
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s)) // one U+FFFD for each byte, as in JSON
}

// optional writes a text; an empty one is NULL.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return text(s)
}

// lines writes a list of texts without line breaks, each with a line break behind it, so that a
// list of one empty text is not empty; an empty list is NULL.
func lines(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return text(strings.Join(list, "\n") + "\n")
}

func readLines(text sql.NullString) []string {
	if text.String == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text.String, "\n"), "\n")
}
