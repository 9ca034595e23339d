package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// firstSession is before all session times. Attempts of one session would not run at the same time.
var firstSession = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant of a type that has none

func serverBars() []bar {
	const flushes = "trowel_flush_changes and trowel_flush_duration_seconds of /metrics tell how large and how long transactions are"
	return []bar{
		{name: "server: tasks a second", measure: func(b *bench) ([]result, error) { return b.bothDatabases(serverTasks) }, look: flushes},
		{name: "server: chain", measure: serverChain, look: flushes},
		{name: "server: first line", measure: func(b *bench) ([]result, error) { return b.bothDatabases(firstLine) }},
		{name: "server: idle", measure: idleServer, look: "trowel_transactions_total of /metrics tells which part asks the database"},
		{name: "server: start", measure: startOnSQLite},
		{name: "server: schedules", measure: schedules, look: "trowel_transactions_total and trowel_transaction_retries_total of /metrics tell who waits for whom"},
		{name: "server: push", measure: pushLarge},
	}
}

// serverChain measures 40 echo> tasks one after the other.
func serverChain(b *bench) (results []result, err error) {
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	s, err := b.serve(db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	id, err := s.push("chain", "chain", "chain.dig", repeat(40, "+t%d:\n  echo>: task %[1]d\n"))
	if err != nil {
		return nil, err
	}
	took, err := median(11, func() (sample, error) { return s.atOnce(id, 1) })
	if err != nil {
		return nil, err
	}
	return []result{{name: "server, PostgreSQL: chain of 40 echo>", got: took.wall.Seconds(), limit: 0.4, unit: "s"}}, nil
}

// firstLine measures how long a user waits for the output of a task: from the request that starts the attempt
// until the line can be read, one attempt at a time.
func firstLine(b *bench, db *database) (results []result, err error) {
	const samples = 1000
	s, err := b.serve(db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	id, err := s.push("line", "line", "line.dig", "+line:\n  echo>: here it is\n")
	if err != nil {
		return nil, err
	}
	took := make([]time.Duration, samples)
	for i := range took {
		begun := time.Now()
		attempt, err := s.begin(id)
		if err == nil {
			err = until(time.Minute, func() (bool, error) { return s.hasLine(attempt, "here it is") })
		}
		if err != nil {
			return nil, err
		}
		took[i] = time.Since(begun)
		if err := s.finish(attempt, time.Millisecond); err != nil {
			return nil, err
		}
	}
	slices.Sort(took)
	name := "server, " + db.name + ": first line of a log, "
	return []result{
		{name: name + "p50", got: millis(took[samples/2]), limit: 10, unit: "ms"},
		{name: name + "p99", got: millis(took[samples*99/100]), limit: 50, unit: "ms", note: fmt.Sprintf("longest: %.4g ms", millis(took[samples-1]))},
	}, nil
}

// hasLine reports whether the only log of an attempt has a line.
func (s *server) hasLine(attempt api.ID, line string) (found bool, err error) {
	list, err := s.ListLogFiles(context.Background(), attempt, "")
	if err != nil || len(list.Files) == 0 {
		return false, err
	}
	body, err := s.FetchLogFile(context.Background(), attempt, &list.Files[0])
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	unzipped, err := gzip.NewReader(body)
	if err != nil {
		return false, err
	}
	text, err := io.ReadAll(unzipped)
	return bytes.Contains(text, []byte(line)), err
}

// startOnSQLite measures the start of a server with an existing database, up to its first answer.
func startOnSQLite(b *bench) ([]result, error) {
	db, err := b.sqlite()
	if err != nil {
		return nil, err
	}
	s, err := b.serve(db)
	if err != nil {
		return nil, err
	}
	id, err := s.push("hello", "hello", "hello.dig", "+hello:\n  echo>: hello\n")
	if err == nil {
		_, err = s.atOnce(id, 10)
	}
	if err := errors.Join(err, s.stop()); err != nil {
		return nil, err
	}
	took, err := median(11, func() (sample, error) {
		begun := time.Now()
		s, err := b.serve(db)
		if err != nil {
			return sample{}, err
		}
		return sample{wall: time.Since(begun)}, s.stop()
	})
	if err != nil {
		return nil, err
	}
	return []result{{name: "server, SQLite: start to first answer", got: millis(took.wall), limit: 150, unit: "ms"}}, nil
}

// pushLarge pushes 50 MB of incompressible data in 10,000 files.
func pushLarge(b *bench) (results []result, err error) {
	files := []string{"large.dig", "+hello:\n  echo>: hello\n"}
	for i := range 10000 {
		content := make([]byte, 5000)
		_, _ = rand.Read(content) // never fails
		files = append(files, filepath.Join(fmt.Sprintf("data%d", i/100), fmt.Sprintf("file%d", i)), string(content))
	}
	db, err := b.sqlite()
	if err != nil {
		return nil, err
	}
	s, err := b.serve(db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	dir, err := b.project("large", files...)
	if err != nil {
		return nil, err
	}
	before, err := s.usage()
	if err != nil {
		return nil, err
	}
	took, err := median(5, func() (sample, error) { return b.trowel(dir, "push", "large", "-e", s.Endpoint()) })
	if err != nil {
		return nil, errors.Join(err, s.failure())
	}
	after, err := s.usage()
	if err != nil {
		return nil, err
	}
	return []result{
		{name: "server, SQLite: push of 50 MB in 10,000 files", got: took.wall.Seconds(), limit: 4, unit: "s"},
		{
			name: "server, SQLite: growth of RSS through it", got: after.peakMB - before.rssMB, limit: 50, unit: "MB",
			note: fmt.Sprintf("%.4g MB before; largest of five pushes", before.rssMB),
		},
	}, nil
}
