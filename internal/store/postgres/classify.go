package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

// Codes of PostgreSQL's errors, from its appendix A.
const (
	codeUnique        = "23505"
	codeForeignKey    = "23503"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeIdleInTx      = "25P03"
	codeReadOnly      = "25006" // a standby, or a server that is set to read only
	codeQueryCanceled = "57014" // statement_timeout, or an administrator
)

// Classes of these codes.
const (
	classConnection = "08"
	classResources  = "53" // disk full, too many connections, out of memory
	classOperator   = "57" // admin shutdown, crash shutdown, cannot connect now
	classSystem     = "58" // input or output
)

// classify gives errors of the driver their kind. The error of a context that has ended stays as it is.
func classify(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if known, ok := errors.AsType[*pgconn.PgError](err); ok {
		return classifyCode(err, known.Code)
	}
	if lost(err) {
		return fmt.Errorf("%w: %w", trowel.ErrUnavailable, err)
	}
	return err
}

func classifyCode(err error, code string) error {
	switch code {
	case codeUnique, codeForeignKey:
		return fmt.Errorf("%w: %w", trowel.ErrConflict, err)
	case codeSerialization, codeDeadlock:
		return fmt.Errorf("%w: %w: %w", trowel.ErrConflict, store.ErrRetry, err)
	case codeIdleInTx, codeReadOnly, codeQueryCanceled:
		return fmt.Errorf("%w: %w", trowel.ErrUnavailable, err)
	}
	switch code[:2] {
	case classConnection, classResources, classOperator, classSystem:
		return fmt.Errorf("%w: %w", trowel.ErrUnavailable, err)
	}
	return err
}

// lost reports whether an error means that the connection is lost.
func lost(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, pgconn.ErrConnClosed)
}
