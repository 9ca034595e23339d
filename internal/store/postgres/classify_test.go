package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

// Errors get the kind that says whether to try again, with their cause in the text.
func TestClassify(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  error
		want error // nil for an error that stays as it is
	}{
		{&pgconn.PgError{Code: "23505"}, trowel.ErrConflict},
		{&pgconn.PgError{Code: "23503"}, trowel.ErrConflict},
		{&pgconn.PgError{Code: "40001"}, trowel.ErrConflict},
		{&pgconn.PgError{Code: "40001"}, store.ErrRetry},
		{&pgconn.PgError{Code: "40P01"}, store.ErrRetry},
		{&pgconn.PgError{Code: "53100"}, trowel.ErrUnavailable}, // disk full
		{&pgconn.PgError{Code: "53300"}, trowel.ErrUnavailable}, // too many connections
		{&pgconn.PgError{Code: "57P01"}, trowel.ErrUnavailable}, // admin shutdown
		{&pgconn.PgError{Code: "57P03"}, trowel.ErrUnavailable}, // starting up
		{&pgconn.PgError{Code: "57014"}, trowel.ErrUnavailable}, // statement_timeout
		{&pgconn.PgError{Code: "25P03"}, trowel.ErrUnavailable}, // idle in a transaction
		{&pgconn.PgError{Code: "25006"}, trowel.ErrUnavailable}, // read only
		{&pgconn.PgError{Code: "58030"}, trowel.ErrUnavailable}, // input or output
		{&pgconn.PgError{Code: "08006"}, trowel.ErrUnavailable},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, trowel.ErrUnavailable},
		{io.ErrUnexpectedEOF, trowel.ErrUnavailable},
		{io.EOF, trowel.ErrUnavailable},
		{driver.ErrBadConn, trowel.ErrUnavailable},
		{pgconn.ErrConnClosed, trowel.ErrUnavailable},
		{&pgconn.PgError{Code: "42P01"}, nil}, // no such table: a defect, or somebody dropped it
		{&pgconn.PgError{Code: "28P01"}, nil}, // wrong password
		{&pgconn.PgError{Code: "23502"}, nil}, // a NULL where none may be
		{context.Canceled, nil},
		{context.DeadlineExceeded, nil},
	} {
		err := fmt.Errorf("wrapped: %w", row.err)
		got := classify(err)
		switch {
		case row.want == nil && !errors.Is(got, err):
			t.Errorf("classify(%v) = %v, want it as it is", err, got)
		case row.want == nil && (errors.Is(got, trowel.ErrUnavailable) || errors.Is(got, trowel.ErrConflict)):
			t.Errorf("classify(%v) = %v, want no kind", err, got)
		case row.want != nil && (!errors.Is(got, row.want) || !errors.Is(got, row.err)):
			t.Errorf("classify(%v) = %v, want %v", err, got, row.want)
		}
	}
	if err := classify(nil); err != nil {
		t.Errorf("classify(nil) = %v", err)
	}
}
