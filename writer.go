package trowel

import (
	"context"
	"fmt"
)

// Generation is what this build understands of what servers write. A later version raises it together with a migration
// that names it in table writer, if it writes what servers of the present generation would take for something else. What
// they only do not know, as a new table, needs no other generation.
const Generation = 1

// ErrOutdated is the ErrConflict of a database in which this build may not begin anything any more.
var ErrOutdated = fmt.Errorf("%w: outdated", ErrConflict)

// Writers says who may write to a database.
type Writers struct {
	Lowest int    // the lowest generation of programs that may
	Since  string // the first version of Trowel of that generation, for people
}

// Check returns an ErrOutdated unless this build may write.
func (w Writers) Check() error { return w.check(Generation) }

func (w Writers) check(generation int) error {
	if w.Lowest <= generation {
		return nil
	}
	return &Error{
		Kind:    ErrOutdated,
		Message: fmt.Sprintf("only Trowel %s and later may write to the database (generation %d), and this program is older (generation %d)", w.Since, w.Lowest, generation),
		Hint:    fmt.Sprintf("upgrade this program to %s or later", w.Since),
	}
}

// WriterTx is the part of a transaction about who may write.
type WriterTx interface {
	// FindWriters says who may write to the database now. It keeps nobody from changing that.
	FindWriters(ctx context.Context) (Writers, error)
}
