package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/trowel-project/trowel/internal/store"
)

// statement executes a statement for rows with SQLite's own functions, on the driver's connection. The
// driver would search for each value among all others, allocate it, and allocate its text again, which is a
// quarter of the cost of a row.
type statement struct {
	tls  *libc.TLS
	db   uintptr // sqlite3*
	stmt uintptr // sqlite3_stmt*
	// data is memory of SQLite for the texts and bytes of a row, as SQLite may not read Go's memory.
	data uintptr
	size int
	// bound are the values of the previous row. Numbers that are the same again stay bound.
	bound []store.Value
}

// failure is an error of SQLite in the form of the driver's errors.
type failure struct {
	code    int
	message string
}

func (f *failure) Error() string { return f.message }

// Code returns the extended result code.
func (f *failure) Code() int { return f.code }

// prepare prepares a statement on a connection of the driver.
func prepare(conn any, text string) (store.RowStatement, error) {
	s := &statement{}
	var err error
	if s.tls, s.db, err = handles(conn); err != nil {
		return nil, err
	}
	stmt := sqlite3.Xsqlite3_malloc64(s.tls, uint64(unsafe.Sizeof(s.stmt)))
	query, err := libc.CString(text)
	if err != nil || stmt == 0 {
		return nil, errors.Join(err, s.failed(sqlite3.SQLITE_NOMEM))
	}
	defer libc.Xfree(s.tls, query)
	defer sqlite3.Xsqlite3_free(s.tls, stmt)
	code := sqlite3.Xsqlite3_prepare_v3(s.tls, s.db, query, -1, sqlite3.SQLITE_PREPARE_PERSISTENT, stmt, 0)
	if code != sqlite3.SQLITE_OK {
		return nil, s.failed(code)
	}
	s.stmt = *(*uintptr)(pointer(stmt))
	s.bound = make([]store.Value, sqlite3.Xsqlite3_bind_parameter_count(s.tls, s.stmt)) // all places are NULL
	return s, nil
}

// handles returns the driver's private fields of a connection. go.mod fixes the driver's version, and all
// tests of this package fail with a version that has other fields.
func handles(conn any) (tls *libc.TLS, db uintptr, err error) {
	v := reflect.Indirect(reflect.ValueOf(conn))
	if v.Kind() == reflect.Struct {
		db, tls := v.FieldByName("db"), v.FieldByName("tls")
		if db.Kind() == reflect.Uintptr && db.Uint() != 0 && tls.IsValid() && tls.Type() == reflect.TypeFor[*libc.TLS]() && !tls.IsNil() {
			return (*libc.TLS)(tls.UnsafePointer()), uintptr(db.Uint()), nil
		}
	}
	return nil, 0, fmt.Errorf("driver connection %T has no open database", conn)
}

// checkDriver returns an error when a database is opened, not at the first write, if prepare does not know this version of the driver.
func checkDriver(ctx context.Context, pool *sql.DB) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	err = conn.Raw(func(known any) error {
		stmt, err := prepare(known, "SELECT 1")
		if err != nil {
			return err
		}
		return stmt.Close()
	})
	return errors.Join(err, conn.Close())
}

// pointer returns an address outside of Go's memory as a pointer.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// Exec implements store.RowStatement.
func (s *statement) Exec(row *store.Row) (int64, error) {
	if err := s.bind(row); err != nil {
		return 0, err
	}
	code := sqlite3.Xsqlite3_step(s.tls, s.stmt)
	if code != sqlite3.SQLITE_DONE {
		err := s.failed(code)
		sqlite3.Xsqlite3_reset(s.tls, s.stmt) // it returns the same error again
		return 0, err
	}
	changed := int64(sqlite3.Xsqlite3_changes(s.tls, s.db))
	if code := sqlite3.Xsqlite3_reset(s.tls, s.stmt); code != sqlite3.SQLITE_OK {
		return 0, s.failed(code)
	}
	return changed, nil
}

// bind sets all places of the statement. SQLite does not copy the texts: they stay in data until the next row.
func (s *statement) bind(row *store.Row) error {
	if len(s.bound) != len(row.Values) {
		return fmt.Errorf("a statement with %d places got %d values", len(s.bound), len(row.Values))
	}
	if err := s.keep(row.Data); err != nil {
		return err
	}
	at := s.data
	for i := range row.Values {
		place, v := int32(i+1), &row.Values[i] //nolint:gosec // a statement has some tens of places
		if *v == s.bound[i] && (v.Kind == store.Null || v.Kind == store.Number) {
			continue
		}
		var code int32
		switch v.Kind {
		case store.Null:
			code = sqlite3.Xsqlite3_bind_null(s.tls, s.stmt, place)
		case store.Number:
			code = sqlite3.Xsqlite3_bind_int64(s.tls, s.stmt, place, v.Number)
		case store.Text:
			code = sqlite3.Xsqlite3_bind_text64(s.tls, s.stmt, place, at, uint64(v.Number), 0, sqlite3.SQLITE_UTF8) //nolint:gosec // a length
			at += uintptr(v.Number)
		case store.Bytes:
			code = sqlite3.Xsqlite3_bind_blob64(s.tls, s.stmt, place, at, uint64(v.Number), 0) //nolint:gosec // a length
			at += uintptr(v.Number)
		}
		if code != sqlite3.SQLITE_OK {
			return s.failed(code)
		}
		s.bound[i] = *v
	}
	return nil
}

// largeData is the largest size in bytes of data that is kept for the next row.
const largeData = 1 << 20

// keep copies texts and bytes to data. An empty one needs an address, too. Without one it would be NULL.
func (s *statement) keep(data []byte) error {
	if s.data == 0 || s.size < len(data) || s.size > largeData {
		sqlite3.Xsqlite3_free(s.tls, s.data)
		s.size = max(min(2*s.size, largeData), len(data), 1<<10)
		s.data = sqlite3.Xsqlite3_malloc64(s.tls, uint64(s.size)) //nolint:gosec // a size
		if s.data == 0 {
			s.size = 0
			return s.failed(sqlite3.SQLITE_NOMEM)
		}
	}
	copy(unsafe.Slice((*byte)(pointer(s.data)), s.size), data)
	return nil
}

// failed returns the error of a result code, with SQLite's message.
func (s *statement) failed(code int32) error {
	kind, message := libc.GoString(sqlite3.Xsqlite3_errstr(s.tls, code)), libc.GoString(sqlite3.Xsqlite3_errmsg(s.tls, s.db))
	if message != kind {
		kind += ": " + message
	}
	return &failure{int(code), fmt.Sprintf("%s (%d)", kind, code)}
}

// Close implements store.RowStatement.
func (s *statement) Close() error {
	sqlite3.Xsqlite3_finalize(s.tls, s.stmt) // it returns the error of the last Exec again
	sqlite3.Xsqlite3_free(s.tls, s.data)
	*s = statement{}
	return nil
}
