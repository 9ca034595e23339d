package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

// rowOf makes a row of NULL, numbers, texts and bytes.
func rowOf(values ...any) *store.Row {
	row := &store.Row{}
	for _, value := range values {
		v := store.Value{}
		switch value := value.(type) {
		case int:
			v = store.Value{Kind: store.Number, Number: int64(value)}
		case string:
			v = store.Value{Kind: store.Text, Number: int64(len(value))}
			row.Data = append(row.Data, value...)
		case []byte:
			v = store.Value{Kind: store.Bytes, Number: int64(len(value))}
			row.Data = append(row.Data, value...)
		}
		row.Values = append(row.Values, v)
	}
	return row
}

// memory returns a connection to a database in memory with one table.
func memory(t *testing.T, table string) *sql.Conn {
	t.Helper()
	pool, err := sql.Open("sqlite", dataSource(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := conn.ExecContext(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	return conn
}

// A statement stores values of all kinds and lengths as they are, returns how many rows changed, and works again
// after an error.
func TestStatement(t *testing.T) {
	t.Parallel()
	conn := memory(t, "CREATE TABLE kept (id INTEGER PRIMARY KEY, word TEXT, data BLOB)")
	large := bytes.Repeat([]byte{0, 1, 0xff}, largeData)
	rows := []*store.Row{
		rowOf(1, nil, nil), rowOf(2, "", []byte{}), rowOf(3, "ä", []byte{0, 1}), rowOf(4, string(large[:9])+"x", large), rowOf(5, "after", nil),
		rowOf(-1<<63, "last", []byte("x")),
	}
	err := conn.Raw(func(raw any) error {
		insert, err := prepare(raw, "INSERT INTO kept VALUES (?, ?, ?)")
		if err != nil {
			return err
		}
		update, errUpdate := prepare(raw, "UPDATE kept SET word = ? WHERE id > ?")
		for _, row := range rows {
			n, errRow := insert.Exec(row)
			if n != 1 {
				t.Errorf("rows changed = %d, want 1", n)
			}
			err = errors.Join(err, errRow)
		}
		if _, err := insert.Exec(rows[2]); !errors.Is(classify(err), trowel.ErrConflict) {
			t.Errorf("error for a row that is there = %v, want a conflict", err)
		}
		if _, err := insert.Exec(rowOf(7)); err == nil {
			t.Error("a row with too few values was stored")
		}
		if n, err := insert.Exec(rowOf(6, "six", nil)); n != 1 || err != nil {
			t.Errorf("after an error: %d rows, %v", n, err)
		}
		n, errMany := update.Exec(rowOf("later", 4))
		if n != 2 {
			t.Errorf("rows updated = %d, want 2", n)
		}
		if _, err := prepare(raw, "INSERT INTO missing VALUES (?)"); err == nil {
			t.Error("a statement for a table that is missing was prepared")
		}
		return errors.Join(err, errUpdate, errMany, insert.Close(), update.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
	type kept struct {
		ID         int64
		Word       sql.NullString
		Kind, Data string
	}
	var got []kept
	list, err := conn.QueryContext(t.Context(), "SELECT id, word, typeof(data), coalesce(data, '') FROM kept ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	for list.Next() {
		var k kept
		if err := list.Scan(&k.ID, &k.Word, &k.Kind, &k.Data); err != nil {
			t.Fatal(err)
		}
		got = append(got, k)
	}
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	text := func(s string) sql.NullString { return sql.NullString{String: s, Valid: true} }
	want := []kept{
		{-1 << 63, text("last"), "blob", "x"},
		{1, sql.NullString{}, "null", ""},
		{2, text(""), "blob", ""},
		{3, text("ä"), "blob", "\x00\x01"},
		{4, text(string(large[:9]) + "x"), "blob", string(large)},
		{5, text("later"), "null", ""},
		{6, text("later"), "null", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if _, err := prepare(struct{}{}, "SELECT 1"); err == nil {
		t.Error("a connection of another driver was taken")
	}
}

// A row never has values of the row before, even if that one was refused.
func TestStatementValues(t *testing.T) {
	t.Parallel()
	conn := memory(t, "CREATE TABLE kept (value, CHECK (value IS NULL OR value <> 13))")
	values := []any{nil, nil, 0, nil, 7, 7, "7", "7", 7, "", nil, []byte{5}, 1, 13, 13, 1, 1, nil}
	var want []any
	err := conn.Raw(func(raw any) error {
		insert, err := prepare(raw, "INSERT INTO kept VALUES (?)")
		if err != nil {
			return err
		}
		for _, v := range values {
			switch _, err := insert.Exec(rowOf(v)); {
			case (err != nil) != (v == 13):
				t.Errorf("value %v: %v", v, err)
			case err == nil:
				want = append(want, v)
			}
		}
		return insert.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	list, err := conn.QueryContext(t.Context(), "SELECT value FROM kept ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	for i := 0; list.Next(); i++ {
		var got any
		if err := list.Scan(&got); err != nil {
			t.Fatal(err)
		}
		if number, ok := want[i].(int); ok {
			want[i] = int64(number)
		}
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
}

// otherConn is a connection of a driver with other private fields.
type otherConn struct {
	driver.Conn

	db  int
	tls string
}

func (otherConn) Close() error { return nil }

// otherDriver makes such connections.
type otherDriver struct{}

func (otherDriver) Connect(context.Context) (driver.Conn, error) {
	return &otherConn{db: 1, tls: "here"}, nil
}

func (otherDriver) Driver() driver.Driver { return nil }

// A driver with other private fields is refused when a database is opened.
func TestOtherDriver(t *testing.T) {
	t.Parallel()
	pool := sql.OpenDB(otherDriver{})
	defer func() { _ = pool.Close() }()
	err := checkDriver(t.Context(), pool)
	if err == nil || err.Error() != "driver connection *sqlite.otherConn has no open database" {
		t.Errorf("check of another driver = %v", err)
	}
}
