package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// The cost of a task is measured over so many rounds of attempts, after some that are not counted.
const (
	costRounds = 4
	coldRounds = 2
)

// What follows an attempt, as the packing of its logs, has this long to end before the cost is read.
const afterwards = 2 * time.Second

func costBars() []bar {
	return []bar{{
		name: "cost of a task", measure: taskCost,
		look: "pg_stat_statements tells which statements take the database's part",
	}}
}

// costs are what one no-op task takes, on average over a run.
type costs struct {
	server, database time.Duration // processor time, user and system; no database with SQLite
	logBytes         float64       // that PostgreSQL writes ahead
}

// taskCost is what a task costs on both databases, in figures that hardly depend on how fast the machine is just
// now. What asks over REST is not counted.
func taskCost(b *bench) (results []result, err error) {
	file, err := b.sqlite()
	if err != nil {
		return nil, err
	}
	onFile, err := b.costs(file, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.name, err)
	}
	if results, err = b.costOnPostgreSQL(); err != nil {
		return nil, err
	}
	return append(results, result{name: "cost of a task on SQLite: processor time of the server", got: micros(onFile.server), limit: 45, unit: "µs"}), nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// costOnPostgreSQL measures processor time first. A second server is counted through a relay, which would cost
// time itself.
func (b *bench) costOnPostgreSQL() ([]result, error) {
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	// Its work comes at other moments of each run. A checkpoint makes all pages new to the log for all runs.
	if err := execute(b.postgres.Options(), "ALTER SYSTEM SET autovacuum = off", "SELECT pg_reload_conf()"); err != nil {
		return nil, err
	}
	reset := func() error {
		return execute(b.postgres.Options(), "ALTER SYSTEM RESET autovacuum", "SELECT pg_reload_conf()")
	}
	c, err := b.costs(db, func() error { return execute(b.postgres.Options(), "CHECKPOINT") })
	if err != nil {
		return nil, errors.Join(err, reset())
	}
	messages, statements, err := b.counted()
	if err := errors.Join(err, reset()); err != nil {
		return nil, err
	}
	name := "cost of a task on PostgreSQL: "
	return []result{
		{name: name + "processor time, both", got: micros(c.server + c.database), limit: 100, unit: "µs"},
		{name: name + "server", got: micros(c.server), limit: 53, unit: "µs"},
		{name: name + "database", got: micros(c.database), limit: 48, unit: "µs"},
		{name: name + "statements", got: statements, limit: 0.3, unit: "a task"},
		{name: name + "messages", got: messages, limit: 2, unit: "a task"},
		{name: name + "write-ahead log", got: c.logBytes, limit: 2000, unit: "B"},
	}, nil
}

// costs runs attempts on a server and divides what was used by the number of tasks. begun is called before what
// counts.
func (b *bench) costs(db *database, begun func() error) (c costs, err error) {
	s, err := b.serve(db)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	id, err := s.pushWide()
	if err == nil {
		err = s.rounds(id, coldRounds)
	}
	if err == nil && begun != nil {
		err = begun()
	}
	if err != nil {
		return c, err
	}
	before, err := s.spent(db)
	if err == nil {
		err = s.rounds(id, costRounds)
	}
	if err != nil {
		return c, err
	}
	after, err := s.spent(db)
	const tasks = costRounds * wideAttempts * wideTasks
	return costs{
		server:   (after.server - before.server) / tasks,
		database: (after.database - before.database) / tasks,
		logBytes: (after.logBytes - before.logBytes) / tasks,
	}, err
}

// rounds runs attempts side by side, so many times, and waits for what follows them. It asks rarely for their ends,
// as each answer costs the server and the database something, too.
func (s *server) rounds(workflow api.ID, n int) error {
	for range n {
		if _, err := togetherAsking([]*server{s}, workflow, wideAttempts, 5*rarely); err != nil {
			return err
		}
	}
	<-time.After(afterwards)
	return nil
}

// spent is what the server and its database have used so far.
func (s *server) spent(db *database) (c costs, err error) {
	if db.driver != "sqlite" {
		n, err := db.count("SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint")
		if err != nil {
			return c, err
		}
		c.logBytes = float64(n)
		pid, err := s.bench.postgres.PID()
		if err != nil {
			return c, err
		}
		if c.database, err = processorTime(pid); err != nil {
			return c, err
		}
	}
	c.server, err = processorTime(s.cmd.Process.Pid)
	return c, err
}

// counted is how many messages and statements a task takes.
func (b *bench) counted() (messages, statements float64, err error) {
	opts := b.postgres.Options()
	r, err := newRelay(net.JoinHostPort(opts.Host, strconv.Itoa(opts.Port)))
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	db, err := b.postgresqlOn(r.port())
	if err != nil {
		return 0, 0, err
	}
	s, err := b.serve(db)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	id, err := s.pushWide()
	if err == nil {
		err = s.rounds(id, 1)
	}
	if err != nil {
		return 0, 0, err
	}
	messagesBefore, statementsBefore := r.messages.Load(), r.statements.Load()
	if err := s.rounds(id, coldRounds); err != nil {
		return 0, 0, err
	}
	const tasks = coldRounds * wideAttempts * wideTasks
	return float64(r.messages.Load()-messagesBefore) / tasks, float64(r.statements.Load()-statementsBefore) / tasks, nil
}
