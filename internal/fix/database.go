package fix

import (
	"errors"
	"strings"

	trowel "github.com/trowel-project/trowel"
)

// Database adds what to do to an error about a database that cannot be opened. Nil stays nil. The
// texts of drivers contain no password, and none is added.
func Database(err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*trowel.Error](err); ok && known.Hint != "" {
		return err
	}
	text := err.Error()
	for _, f := range databaseFixes() {
		if strings.Contains(text, f.text) {
			return &Error{Err: err, Fix: f.fix}
		}
	}
	return err
}

// Error is an error with what to do about it.
type Error struct {
	Err error
	Fix string
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

type databaseMistake struct{ text, fix string }

// databaseFixes returns frequent mistakes by the texts and codes of the drivers. They are tried in order.
func databaseFixes() []databaseMistake {
	const address = "is PostgreSQL running there? database.host and database.port say where"
	return []databaseMistake{
		{"file is not a database", "this file was not written by Trowel: move it away, or name another folder in database.path"},
		{"database disk image is malformed", "the file is damaged: take it from a backup, or name another folder in database.path"},
		{"unable to open database file", "the folder of database.path must be one that this user can write"},
		{"readonly database", "the file must be one that this user can write"},
		{"SQLSTATE 28P01", "the password or the user is wrong: database.user and database.password"},
		{"SQLSTATE 28000", "PostgreSQL does not let this user in: database.user, or its pg_hba.conf"},
		{"SQLSTATE 3D000", "there is no such database: name it in database.database, or make it with createdb"},
		{"SQLSTATE 42501", "the user of database.user may not make tables there: GRANT CREATE ON DATABASE ... TO ..."},
		{"SQLSTATE 53300", "PostgreSQL has no connection left: raise its max_connections, or lower database.maximumPoolSize"},
		{"connection refused", address},
		{"no such host", "there is no such host: database.host"},
		{"hostname resolving error", "there is no such host: database.host"},
		{"i/o timeout", address},
		{"context deadline exceeded", address},
		{"server refused TLS", "PostgreSQL speaks no TLS there: database.sslmode = disable"},
	}
}
