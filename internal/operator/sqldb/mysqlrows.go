package sqldb

import (
	"database/sql/driver"
	"encoding/base64"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// mysqlRows is a result of MySQL.
type mysqlRows struct {
	session *mysqlSession
	result  driver.Rows
	types   []string
	row     []driver.Value
}

func newMysqlRows(s *mysqlSession, result driver.Rows) *mysqlRows {
	r := &mysqlRows{session: s, result: result, row: make([]driver.Value, len(result.Columns()))}
	for i := range r.row {
		name := ""
		if typed, ok := result.(driver.RowsColumnTypeDatabaseTypeName); ok {
			name = typed.ColumnTypeDatabaseTypeName(i)
		}
		r.types = append(r.types, name)
	}
	return r
}

func (r *mysqlRows) columns() []string { return r.result.Columns() }

func (r *mysqlRows) next() (bool, error) {
	err := r.result.Next(r.row)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, r.session.told(err)
}

// appendText has the same forms as PostgreSQL.
func (r *mysqlRows) appendText(dst []byte, i int) ([]byte, bool) {
	switch value := r.row[i].(type) {
	case nil:
		return dst, false
	case int64:
		return strconv.AppendInt(dst, value, 10), true
	case uint64:
		return strconv.AppendUint(dst, value, 10), true
	case float32:
		return appendFloat(dst, float64(value), 32), true
	case float64:
		return appendFloat(dst, value, 64), true
	case []byte:
		switch r.types[i] {
		case "DATETIME", "TIMESTAMP":
			return appendTimestamp(dst, value), true
		case "DECIMAL":
			return appendNumeric(dst, value), true
		case "TIME":
			return append(dst, wholeSeconds(string(value))...), true
		}
		return append(dst, value...), true
	}
	return dst, true
}

func (r *mysqlRows) value(i int) param.Value {
	switch value := r.row[i].(type) {
	case int64, float64:
		return value
	case float32:
		f, _ := strconv.ParseFloat(strconv.FormatFloat(float64(value), 'g', -1, 32), 64)
		return f
	case uint64:
		number, _ := param.Number(strconv.FormatUint(value, 10))
		return number
	case []byte:
		return r.textValue(r.types[i], value)
	}
	return nil
}

func (r *mysqlRows) textValue(kind string, value []byte) param.Value {
	text := string(value)
	switch kind {
	case "DECIMAL":
		if number, ok := param.Number(text); ok {
			return number
		}
	case "DATE", "DATETIME", "TIMESTAMP":
		for _, layout := range []string{time.DateTime, time.DateOnly} {
			if at, err := time.ParseInLocation(layout, text, r.session.zone); err == nil {
				return at.UnixMilli()
			}
		}
	case "TIME":
		return wholeSeconds(text)
	case "BINARY", "VARBINARY", "BLOB", "BIT", "GEOMETRY", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB":
		return base64.StdEncoding.EncodeToString(value)
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

// wholeSeconds cuts the fraction of a second off, as for PostgreSQL.
func wholeSeconds(text string) string {
	text, _, _ = strings.Cut(text, ".")
	return text
}
