package main

import (
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// schedules are 1,000 that are due in the same second.
func schedules(b *bench) ([]result, error) {
	var results []result
	for _, on := range []struct {
		name    string
		open    func() (*database, error)
		servers int
	}{
		{"SQLite", b.sqlite, 1},
		{"PostgreSQL", b.postgresql, 1},
		{"two servers on PostgreSQL", b.postgresql, 2},
	} {
		db, err := on.open()
		if err != nil {
			return nil, err
		}
		took, stored, err := b.dueAtOnce(db, on.servers)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", on.name, err)
		}
		results = append(results, result{
			name: "1,000 schedules due at once: " + on.name, got: took.Seconds(), limit: 2, unit: "s",
			note: fmt.Sprintf("all ended after %.3g s", stored.Seconds()),
		})
	}
	return results, nil
}

// due is how many schedules there are.
const due = 1000

// dueAtOnce lets servers start 1,000 workflows with a new minute. It returns the time from then until
// all have an attempt, and until all these have ended.
func (b *bench) dueAtOnce(db *database, servers int) (started, ended time.Duration, err error) {
	var first *server
	for range servers {
		s, errServe := b.serve(db)
		if errServe != nil {
			return 0, 0, errors.Join(err, errServe)
		}
		defer func() { err = errors.Join(err, s.stop()) }()
		first = s
	}
	rows, err := sql.Open(db.driver, db.source)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var files []string
	for i := range due {
		files = append(files, fmt.Sprintf("w%d.dig", i), "schedule:\n  minutes_interval>: 1\n\n+hello:\n  echo>: hello\n")
	}
	// There is time to push before the minute ends.
	if left := time.Minute - time.Duration(time.Now().UnixNano())%time.Minute; left < 20*time.Second {
		<-time.After(left)
	}
	if _, err := first.push("due", "w0", files...); err != nil {
		return 0, 0, err
	}
	minute := time.Now().Truncate(time.Minute).Add(time.Minute)
	<-time.After(time.Until(minute))
	// Later minutes are not of interest.
	count := func(where string) (n int, err error) {
		err = rows.QueryRow("SELECT count(*) FROM attempt WHERE created_at < $1"+where, minute.Add(50*time.Second).UnixMicro()).Scan(&n)
		return n, err
	}
	err = until(time.Minute, func() (bool, error) {
		n, err := count("")
		return n >= due, err
	})
	started = time.Since(minute)
	if err == nil {
		err = until(50*time.Second-started, func() (bool, error) {
			n, err := count(" AND finished_at IS NULL")
			return n == 0, err
		})
	}
	ended = time.Since(minute)
	if err != nil {
		return 0, 0, errors.Join(err, first.failure())
	}
	n, err := count("")
	if err == nil && n != due {
		err = fmt.Errorf("%d schedules have started %d attempts", due, n)
	}
	return started, ended, err
}
