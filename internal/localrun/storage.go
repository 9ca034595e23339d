package localrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/config"
	"github.com/trowel-project/trowel/internal/database"
	"github.com/trowel-project/trowel/internal/fix"
	"github.com/trowel-project/trowel/internal/store/sqlite"
)

// storage is the database of a run. It is gone with the run, unless the settings name a file.
type storage struct {
	store trowel.Store
	lock  *os.File // nil if the database is gone with the run
}

// openStorage opens the database.
func openStorage(ctx context.Context, o *Options, now time.Time) (*storage, error) {
	var opts sqlite.Options
	var err error
	if !o.Dry { // an attempt that did nothing is not for the records
		if opts, err = databaseOptions(o.Settings); err != nil {
			return nil, err
		}
	}
	s := &storage{}
	if opts.Path != "" {
		if s.lock, err = database.Lock(opts.Path); err != nil {
			return nil, err
		}
	}
	if s.store, err = sqlite.Open(ctx, opts, now); err != nil {
		return nil, errors.Join(fix.Database(err), s.unlock())
	}
	return s, nil
}

// lasts reports whether the database outlives the run.
func (s *storage) lasts() bool { return s.lock != nil }

// close closes the database, and lets others use one that outlives the run.
func (s *storage) close() error { return errors.Join(s.store.Close(), s.unlock()) }

func (s *storage) unlock() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}

// databaseOptions say where the store is: in memory unless the settings name a file.
func databaseOptions(settings config.Settings) (sqlite.Options, error) {
	kind, _ := settings.Get("database.type")
	path, _ := settings.Get("database.path")
	switch kind {
	case "", "memory":
		return sqlite.Options{}, nil
	case "sqlite", "h2":
		if path == "" {
			return sqlite.Options{}, fmt.Errorf("setting database.type = %s needs database.path, the database's folder", kind)
		}
		if err := os.MkdirAll(path, 0o777); err != nil { //nolint:gosec // the umask decides
			return sqlite.Options{}, fix.UseDatabase.Failed(fmt.Errorf("make the folder of the database: %w", err))
		}
		return sqlite.Options{Path: path + "/" + config.DatabaseFile}, nil
	default:
		return sqlite.Options{}, fmt.Errorf("setting database.type = %s: a local run knows memory and sqlite", kind)
	}
}
