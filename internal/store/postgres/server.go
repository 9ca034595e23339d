package postgres

import (
	"context"
	"database/sql"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const sqlServer = `SELECT CAST(current_setting('server_version_num') AS INTEGER), current_setting('server_version'),
current_setting('server_encoding')`

// oldest is the oldest supported version.
const oldest = 130000

// server is what a PostgreSQL says about itself.
type server struct {
	number   int
	version  string
	encoding string
}

// checkServer refuses a server or a database that would fail later, at the first unusual text or statement.
func checkServer(ctx context.Context, conn *sql.Conn) error {
	var s server
	if err := conn.QueryRowContext(ctx, sqlServer).Scan(&s.number, &s.version, &s.encoding); err != nil {
		return fmt.Errorf("ask for the version: %w", err)
	}
	return s.check()
}

func (s server) check() error {
	if s.number < oldest {
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("PostgreSQL %s is too old", s.version),
			Hint: "use version 13 or later",
		}
	}
	if s.encoding != "UTF8" {
		return &trowel.Error{
			Kind: trowel.ErrInvalid, Message: fmt.Sprintf("the database has encoding %s, which does not have all characters", s.encoding),
			Hint: "make it anew: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0",
		}
	}
	return nil
}
