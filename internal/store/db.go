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
// prepared statements, or each transaction takes a connection from the pool. The pool replaces lost ones, so
// calls work again after a restart of the database.
type DB struct {
	pool    *sql.DB
	dialect Dialect
	id      string        // identifies this store's own notifications
	turn    chan struct{} // has room for one item; the goroutine that put it there may use the writer
	writer  *connection   // nil without OneWriter
	texts   bulkTexts
	readers chan *connection // idle connections with their statements; without room for any if the driver keeps the statements
}

var _ trowel.Store = (*DB)(nil)

const (
	// maxRuns is how often a transaction runs that loses to others.
	maxRuns = 6
	// giveWay is how long a transaction that lost waits before its second run, so that the winner goes
	// on first. Later waits are longer.
	giveWay = 20 * time.Millisecond
	// maxBegins is how many lost connections a transaction tries before it gives up.
	maxBegins = 20
	// maxReaders is how many idle connections are kept with their statements.
	maxReaders = 4
)

// New makes a store of an open and migrated database.
func New(ctx context.Context, pool *sql.DB, dialect Dialect) (*DB, error) {
	db := &DB{pool: pool, dialect: dialect, id: uuid.NewString(), turn: make(chan struct{}, 1)}
	if !dialect.OneWriter {
		return db, nil
	}
	if !dialect.KeepsStatements && !dialect.OneConnection {
		db.readers = make(chan *connection, maxReaders)
	}
	writer, err := db.connect(ctx)
	if err != nil {
		return nil, err
	}
	db.writer = writer
	return db, nil
}

// Update runs f in a transaction that writes, and runs it again if it loses to another one. With one
// writer it never loses.
func (db *DB) Update(ctx context.Context, f func(trowel.Tx) error) error {
	for run := 1; ; run++ {
		err := db.update(ctx, f)
		if !errors.Is(err, ErrRetry) || run == maxRuns {
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
	return db.onPooled(ctx, db.dialect.BeginWrite, f)
}

// View runs f in a transaction that only reads. In a database with one connection it waits for the
// open transaction to end.
func (db *DB) View(ctx context.Context, f func(trowel.Tx) error) error {
	if db.dialect.OneConnection {
		return db.write(ctx, db.dialect.BeginRead, f)
	}
	return db.onPooled(ctx, db.dialect.BeginRead, f)
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

// onPooled runs f on a connection of the pool. It tries another one if the connection is lost when the transaction
// begins, but not after a timeout, which may mean that the transaction waits for a lock.
func (db *DB) onPooled(ctx context.Context, begin string, f func(trowel.Tx) error) error {
	for try := 1; ; try++ {
		unbegun, err := db.tryPooled(ctx, begin, f)
		waited := errors.Is(err, context.DeadlineExceeded)
		if !unbegun || waited || try == maxBegins || ctx.Err() != nil || !errors.Is(err, trowel.ErrUnavailable) {
			return err
		}
	}
}

// tryPooled is onPooled without another try. unbegun reports, after an error, that the transaction never began.
func (db *DB) tryPooled(ctx context.Context, begin string, f func(trowel.Tx) error) (unbegun bool, err error) {
	c, err := db.begun(ctx, begin)
	if err != nil {
		return false, err
	}
	good := false
	defer func() { // also when f panics
		if !good || !db.release(c) {
			err = errors.Join(err, c.close())
		}
	}()
	err = c.finish(ctx, db.id, f)
	good = err == nil
	return c.unconfirmed, err
}

// release keeps a connection with its statements for the next transaction, if there is room.
func (db *DB) release(c *connection) bool {
	select {
	case db.readers <- c:
		return true
	default:
		return false
	}
}

// reader returns an idle connection, or a new one.
func (db *DB) reader(ctx context.Context) (*connection, error) {
	select {
	case c := <-db.readers:
		return c, nil
	default:
		return db.connect(ctx)
	}
}

// begun begins a transaction on a connection of the pool. If the connection turns out to be lost, it takes another
// one, which is safe as nothing has been done yet.
func (db *DB) begun(ctx context.Context, begin string) (*connection, error) {
	for try := 1; ; try++ {
		c, err := db.reader(ctx)
		if err != nil {
			return nil, err
		}
		err = c.begin(ctx, begin)
		if err == nil {
			return c, nil
		}
		_ = c.close() // the error before it says more
		if try == maxBegins || ctx.Err() != nil || !errors.Is(err, trowel.ErrUnavailable) {
			return nil, err
		}
	}
}

func (db *DB) connect(ctx context.Context) (*connection, error) {
	limited, cancel := limit(ctx, db.dialect.Connecting)
	defer cancel()
	conn, err := db.pool.Conn(limited)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", classify(ctx, db.dialect, err))
	}
	c := newConnection(conn, db.dialect)
	c.texts = &db.texts
	return c, nil
}

// Close waits for an open transaction of the writer and closes the database.
func (db *DB) Close() error {
	db.turn <- struct{}{}
	defer func() { <-db.turn }()
	var errs []error
	for {
		select {
		case c := <-db.readers:
			errs = append(errs, c.close())
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
