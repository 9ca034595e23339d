package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// firstStarts kills servers while they make their tables, in a new database each time. The next start
// must make the rest.
func firstStarts(ctx context.Context, a *arena) error {
	const share = 2 // of the kills
	s, usual, began := a.servers[0], a.servers[0].settings, time.Now()
	for n := range max(a.kills/share, 3) {
		if a.mode.postgres {
			if err := a.database.dropSchema(ctx); err != nil {
				return err
			}
		} else {
			s.settings = slices.Concat(usual, []string{"database.path = " + filepath.Join(a.dataDir, strconv.Itoa(n))})
		}
		if err := s.start(ctx); err != nil {
			return err
		}
		if err := errors.Join(a.live(ctx, s, time.Duration(a.rand.Int64N(int64(150*time.Millisecond)))), s.kill()); err != nil {
			return err
		}
		if err := errors.Join(s.start(ctx), s.ready(ctx), s.stop(), s.left(ctx)); err != nil {
			return err
		}
	}
	fmt.Printf("%-22s %d troubles in %.0f s\n", a.mode.name, max(a.kills/share, 3), time.Since(began).Seconds())
	return nil
}

// dropSchema removes all tables.
func (d *database) dropSchema(ctx context.Context) (err error) {
	db, err := sql.Open("pgx", d.server.URL())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, "DROP SCHEMA IF EXISTS trowel CASCADE")
	return err
}
