package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/wait"
)

// DB is a trowel.Store on a database. Either one connection does all the writing and keeps its
// prepared statements here, or each transaction takes a connection out of the pool. Lost ones are
// replaced there, so that a call after a restart of the database works again.
type DB struct {
	pool    *sql.DB
	dialect Dialect
	id      string        // tells this store's own notifications
	turn    chan struct{} // has room for one: who put something in may use the writer
	writer  *session      // nil without OneWriter
	texts   bulkTexts
	readers chan *session // rest between two views, with their statements; without room for any if the driver keeps these
}

var _ trowel.Store = (*DB)(nil)

const (
	// maxRuns is how often a transaction is run that loses to others.
	maxRuns = 6
	// giveWay is how long a transaction that lost waits before its second run, so that the winner goes
	// on first; later ones wait longer.
	giveWay = 20 * time.Millisecond
	// maxBegins is how many connections are tried that turn out to be lost.
	maxBegins = 20
	// maxReaders is how many connections rest with their statements.
	maxReaders = 4
)

// New makes a store of an open and migrated database.
func New(ctx context.Context, pool *sql.DB, dialect Dialect) (*DB, error) {
	db := &DB{pool: pool, dialect: dialect, id: uuid.NewString(), turn: make(chan struct{}, 1)}
	if !dialect.OneWriter {
		return db, nil
	}
	if !dialect.KeepsStatements && !dialect.OneConnection {
		db.readers = make(chan *session, maxReaders)
	}
	writer, err := db.connect(ctx)
	if err != nil {
		return nil, err
	}
	db.writer = writer
	return db, nil
}

// Update runs f in a transaction that writes, and runs it again if it loses to another one. With one
// writer there is nobody to lose to.
func (db *DB) Update(ctx context.Context, f func(trowel.Tx) error) error {
	for run := 1; ; run++ {
		err := db.update(ctx, f)
		if !errors.Is(err, ErrAgain) || run == maxRuns {
			return err
		}
		longest := time.Duration(run*run) * giveWay
		random := rand.N(longest / 2) //nolint:gosec // two that lost to each other should differ
		if wait.Sleep(ctx, longest/2+random) != nil {
			return err
		}
	}
}

func (db *DB) update(ctx context.Context, f func(trowel.Tx) error) error {
	if db.writer != nil {
		return db.write(ctx, db.dialect.BeginWrite, f)
	}
	return db.alone(ctx, db.dialect.BeginWrite, f)
}

// View runs f in a transaction that only reads. In a database with one connection it waits for the
// open transaction to end.
func (db *DB) View(ctx context.Context, f func(trowel.Tx) error) error {
	if db.dialect.OneConnection {
		return db.write(ctx, db.dialect.BeginRead, f)
	}
	return db.alone(ctx, db.dialect.BeginRead, f)
}

// write waits for the writer and runs f on it.
func (db *DB) write(ctx context.Context, begin string, f func(trowel.Tx) error) error {
	select {
	case db.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for the database: %w", context.Cause(ctx))
	}
	defer func() { <-db.turn }()
	if err := db.writer.begin(ctx, begin); err != nil {
		return err
	}
	return db.writer.finish(ctx, db.id, f)
}

// alone runs f on a connection of its own. One that turns out to be lost when the transaction begins is
// replaced by another; one that is only not answered in time is not, as it may wait for a lock.
func (db *DB) alone(ctx context.Context, begin string, f func(trowel.Tx) error) error {
	for try := 1; ; try++ {
		unbegun, err := db.aloneOn(ctx, begin, f)
		waited := errors.Is(err, context.DeadlineExceeded)
		if !unbegun || waited || try == maxBegins || ctx.Err() != nil || !errors.Is(err, trowel.ErrUnavailable) {
			return err
		}
	}
}

// aloneOn is alone on one connection. It reports whether the transaction never began, after an error.
func (db *DB) aloneOn(ctx context.Context, begin string, f func(trowel.Tx) error) (unbegun bool, err error) {
	s, err := db.begun(ctx, begin)
	if err != nil {
		return false, err
	}
	good := false
	defer func() { // also when f panics
		if !good || !db.rest(s) {
			err = errors.Join(err, s.close())
		}
	}()
	err = s.finish(ctx, db.id, f)
	good = err == nil
	return s.unheard, err
}

// rest keeps a connection with its statements for the next view, if there is room.
func (db *DB) rest(s *session) bool {
	select {
	case db.readers <- s:
		return true
	default:
		return false
	}
}

// reader returns a connection, one that has rested if there is any.
func (db *DB) reader(ctx context.Context) (*session, error) {
	select {
	case s := <-db.readers:
		return s, nil
	default:
		return db.connect(ctx)
	}
}

// begun begins a transaction on a connection of the pool. Nothing was done yet, so that a connection
// that turns out to be lost may be replaced by another.
func (db *DB) begun(ctx context.Context, begin string) (*session, error) {
	for try := 1; ; try++ {
		s, err := db.reader(ctx)
		if err != nil {
			return nil, err
		}
		err = s.begin(ctx, begin)
		if err == nil {
			return s, nil
		}
		_ = s.close() // the error before it tells more
		if try == maxBegins || ctx.Err() != nil || !errors.Is(err, trowel.ErrUnavailable) {
			return nil, err
		}
	}
}

func (db *DB) connect(ctx context.Context) (*session, error) {
	limited, cancel := limit(ctx, db.dialect.Connecting)
	defer cancel()
	conn, err := db.pool.Conn(limited)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", classify(ctx, db.dialect, err))
	}
	s := newSession(conn, db.dialect)
	s.texts = &db.texts
	return s, nil
}

// Close waits for an open transaction of the writer and closes the database.
func (db *DB) Close() error {
	db.turn <- struct{}{}
	defer func() { <-db.turn }()
	var errs []error
	for {
		select {
		case s := <-db.readers:
			errs = append(errs, s.close())
			continue
		default:
		}
		break
	}
	if db.writer != nil {
		errs = append(errs, db.writer.close())
	}
	return errors.Join(append(errs, db.pool.Close())...)
}
