package daemon

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/store/postgres"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// openDatabase opens the database. Only one server may use a database in a file.
func (s *storage) openDatabase(ctx context.Context) (err error) {
	d := &s.settings.Database
	now := s.opts.Now()
	switch d.Type {
	case config.DatabasePostgreSQL:
		opts := database.PostgresOptions(d)
		opts.MaxConnections, opts.KeepSchema, opts.Log = d.MaxConnections, !d.Migrate, s.log
		db, errOpen := postgres.Open(ctx, opts, now)
		if errOpen != nil {
			return fix.Database(errOpen)
		}
		hintAtDigdag(ctx, db, s.log)
		s.store = db
	case config.DatabaseSQLite:
		lock, errLock := database.Lock(d.File)
		if errLock != nil {
			return errLock
		}
		s.onClose(lock.Close)
		warnOfH2(ctx, d, s.log)
		s.store, err = sqlite.Open(ctx, sqlite.Options{Path: d.File, Durable: true, KeepSchema: !d.Migrate}, now)
	default:
		s.store, err = sqlite.Open(ctx, sqlite.Options{}, now)
	}
	if err != nil {
		return fix.Database(err)
	}
	s.exclusive = d.Type != config.DatabasePostgreSQL
	s.onClose(s.store.Close)
	s.store = s.meters.metered(healthStore{s.store, &s.writes, s.opts.Now}, "server")
	return nil
}

// checkDatabase returns why the database cannot be read, or why the last write to it has failed. It writes a probe under a
// key that has the server's id.
func (s *storage) checkDatabase(ctx context.Context, id string) error {
	if err := s.store.View(ctx, func(trowel.Tx) error { return nil }); err != nil {
		return err
	}
	return s.writes.Check(ctx, s.opts.Now(), func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthProbe) // it ends even if the caller has left
		defer cancel()
		key := "health/" + id // no revision or log has this key
		// The store remembers the result.
		_ = s.store.Update(ctx, func(tx trowel.Tx) error {
			return errors.Join(tx.InsertBlobPart(ctx, key, 0, make([]byte, healthProbeBytes)), tx.DeleteBlob(ctx, key))
		})
	})
}
