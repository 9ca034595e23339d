package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// ErrRetry is the error of a transaction that lost to another one, for example in a deadlock. The same
// function may succeed when it runs again from the beginning.
var ErrRetry = errors.New("lost to another transaction")

// Dialect is all that differs between the databases.
type Dialect struct {
	// BeginWrite and BeginRead begin a transaction.
	BeginWrite, BeginRead string
	// TransactionControl runs the statement that begins or ends a transaction, and returns an error unless it
	// did exactly that. If it is nil, the statement is executed like any other.
	TransactionControl func(ctx context.Context, conn *sql.Conn, statement string) error
	// LockRows ends a SELECT that locks its rows until the end of the transaction.
	LockRows string
	// LockForDelete ends a SELECT whose rows will be deleted, so that no new row may refer to them. KeepRows ends one
	// whose rows may change but must not be deleted.
	LockForDelete, LockForChange string
	// LockShared ends a SELECT whose rows must not change before the transaction ends. Several transactions may share them.
	LockShared string
	// Pipe opens a pipe on a connection, for bulk statements that take an array for each column, see bulk.
	// It ends with ctx. If it is nil, statements are executed row by row, with Prepare.
	Pipe func(ctx context.Context, conn *sql.Conn) (Pipe, error)
	// Prepare prepares a bulk statement for rows on a driver's connection, if there is no Pipe.
	Prepare func(conn any, statement string) (RowStatement, error)
	// OneWriter is set if one connection does all the writing. Otherwise each transaction has one of
	// its own.
	OneWriter bool
	// OneConnection is set if the database has a single connection, as one in memory does.
	OneConnection bool
	// KeepsStatements is set if the driver keeps the prepared statements of each connection by their text.
	KeepsStatements bool
	// MarksLogs is set if table log_unpacked has the attempts whose output is not all in blobs. Otherwise an
	// index finds them.
	MarksLogs bool
	// TaskIDs is set if the sequence task_id counts blocks of task ids.
	TaskIDs bool
	// Connecting is how long a transaction waits for a connection, and Timeout how long a statement
	// may take. Zero is without limit.
	Connecting, Timeout time.Duration
	// Channel is where the database's notifications are sent. Empty if it has none.
	Channel string
	// Listen calls heard for each notification, and with an empty text when it may have missed some,
	// until ctx ends.
	Listen func(ctx context.Context, channel string, heard func(payload string)) error
	// Classify turns an error of the driver into one of trowel's kinds, or returns it as it is.
	Classify func(error) error
}
