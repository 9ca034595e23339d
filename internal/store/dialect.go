package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// ErrAgain is an error of a transaction that lost to another one, as in a deadlock: the same
// function may succeed when it is run again from the beginning.
var ErrAgain = errors.New("lost to another transaction")

// Dialect is all that differs between the databases.
type Dialect struct {
	// BeginWrite and BeginRead begin a transaction.
	BeginWrite, BeginRead string
	// Control runs the statement that begins or ends a transaction, and returns an error unless it
	// did just that. Without it, it is a statement as any other.
	Control func(ctx context.Context, conn *sql.Conn, statement string) error
	// LockRows ends a SELECT whose rows are locked until the end of the transaction.
	LockRows string
	// OwnRows ends one whose rows are to be deleted: nothing may refer to them any more. KeepRows ends one
	// whose rows may change, but not be deleted.
	OwnRows, KeepRows string
	// ShareRows ends one whose rows stay as they are until then, and may be held so by several.
	ShareRows string
	// Pipe opens a pipe on a connection, for bulk statements that take an array for each column, see bulk.
	// It ends with ctx. Without it they are executed row by row, by Prepare.
	Pipe func(ctx context.Context, conn *sql.Conn) (Pipe, error)
	// Prepare prepares a bulk statement for rows on a driver's connection, if there is no Pipe.
	Prepare func(conn any, statement string) (RowStatement, error)
	// OneWriter tells that one connection does all the writing. Otherwise each transaction has one of
	// its own.
	OneWriter bool
	// OneConnection tells that the database has a single connection, as one in memory does.
	OneConnection bool
	// KeepsStatements tells that the driver keeps prepared statements of each connection by their text.
	KeepsStatements bool
	// MarksLogs tells that table log_unpacked has the attempts with output that is in no blob yet. Otherwise an
	// index finds them.
	MarksLogs bool
	// TaskIDs tells that sequence task_id counts blocks of task ids.
	TaskIDs bool
	// Connecting is how long a transaction waits for a connection, and Timeout how long a statement
	// may take; zero is for ever.
	Connecting, Timeout time.Duration
	// Channel is where notifications of the database are heard; empty if it has none.
	Channel string
	// Listen calls heard for each notification, and with an empty text when some may have been missed,
	// until ctx ends.
	Listen func(ctx context.Context, channel string, heard func(payload string)) error
	// Classify turns an error of the driver into one of trowel's kinds, or returns it as it is.
	Classify func(error) error
}
