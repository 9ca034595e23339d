package sqldb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/trowel-project/trowel/internal/operator"
)

// SQLSTATEs that decide how to go on.
const (
	stateDuplicate = "23505" // a row with that key is there, or a name
	stateLocked    = "55P03" // another transaction has the row
	stateReadOnly  = "25006" // the transaction must not change anything
	stateForbidden = "42501"

	stateDuplicateObject = "42710"
	stateDuplicateTable  = "42P07"
)

// errLocked says that another run of the same query has not ended.
var errLocked = errors.New("another run of this query has not ended")

// status is the table that says which queries were done, by their ids (operators 7.1, exactly once).
type status struct {
	dialect *dialect
	table   table
	cleanup time.Duration // after which entries are deleted
	log     *slog.Logger
	to      connection
	id      string // of the query
}

// name returns the table as it stands in statements.
func (s *status) name() string { return s.dialect.table(s.table) }

// cleanupSeconds is the age of entries that are deleted.
func (s *status) cleanupSeconds() int64 { return int64(s.cleanup / time.Second) }

// do sends a statement of the status table.
func (s *status) do(ctx context.Context, description, statement string, args ...any) error {
	return failure("Failed to "+description, s.to.run(ctx, fmt.Sprintf(statement, args...)))
}

// failure is the failure of a task because of an error of the database, in Digdag's words. It is nil without an error.
func failure(description string, err error) error {
	if err == nil {
		return nil
	}
	return &operator.Failure{Message: description + " [" + err.Error() + "]", Err: err}
}

// stateOf returns the SQLSTATE of an error, or nothing.
func stateOf(err error) string {
	refused, _ := errors.AsType[*serverError](err)
	if refused == nil {
		return ""
	}
	return refused.state
}

// warn tells of an error that does not fail the task: its work is done.
func (s *status) warn(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.log.Warn("Error during cleaning up status table. Ignoring.", slog.String("error", err.Error()))
	}
}

// pollInterval returns how many seconds the task waits for another run of its query, and the state that makes the next wait longer.
func pollInterval(before int) (seconds time.Duration, next int64) {
	const longest = 1200
	before = min(max(before, 1), longest)
	return time.Duration(before) * time.Second, int64(math.Min(float64(before)*2, longest))
}
