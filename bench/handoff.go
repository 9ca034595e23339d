package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// Length of the chains for the hand-off, and their share of the throughput.
const (
	chainTasks = 40
	handOffAt  = 0.3
)

// How long attempts are started before hand-offs count, and while they do.
const (
	warming   = 3 * time.Second
	measuring = 15 * time.Second
)

// handOffs are the times from the end of a task to the start of the next one in its chain, while chains
// are started at an even rate.
type handOffs struct {
	gaps  *latencies
	loads *answers // for the requests that started the chains
}

func (h *handOffs) note(rate float64) string {
	return fmt.Sprintf("at %.4g tasks/s; %s; starts over REST p50 %.3g, p99 %.3g ms", rate, h.gaps, h.loads.took.at(50), h.loads.took.at(99))
}

// pushChain makes a project with a chain.
func (s *server) pushChain() (api.ID, error) {
	return s.push("chain", "chain", "chain.dig", repeat(chainTasks, "+t%d:\n  echo>: task %[1]d\n"))
}

// handOff measures the hand-off on an empty database, with the server's own agent.
func handOff(b *bench) ([]result, error) {
	rate, err := b.noopTasks()
	if err != nil {
		return nil, err
	}
	return b.handOffs([]handOffRate{{"hand-off on PostgreSQL", rate * handOffAt, measuring, 2, 10}})
}

// handOffRate is a rate at which hand-off is measured, and its limits.
type handOffRate struct {
	name     string
	rate     float64 // tasks a second
	length   time.Duration
	p50, p99 float64 // in milliseconds
}

// handOffs measures the hand-off of one server at some rates, one after the other.
func (b *bench) handOffs(rates []handOffRate) (results []result, err error) {
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	s, err := b.serve(db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	id, err := s.pushChain()
	if err != nil {
		return nil, err
	}
	for _, at := range rates {
		h, err := s.handOff(db, id, at.rate, at.length)
		if err != nil {
			return nil, err
		}
		results = append(results, handOffResults(at.name, h, at.rate, at.p50, at.p99)...)
	}
	return results, nil
}

// evenHandOff is measured at rates that do not depend on what the machine can do. At the low rate a transaction has one
// task, so its time is that of the way alone.
func evenHandOff(b *bench) ([]result, error) {
	return b.handOffs([]handOffRate{ // the lower the rate, the longer, for as many chains as p99 needs
		{"hand-off on PostgreSQL at 100 tasks a second", 100, 2 * measuring, 1.5, 5},
		{"hand-off on PostgreSQL at 1,000 tasks a second", 1000, measuring, 1.5, 5},
	})
}

func handOffResults(name string, h *handOffs, rate, p50, p99 float64) []result {
	return []result{
		{name: name + ", p50", got: h.gaps.at(50), limit: p50, unit: "ms", note: h.note(rate)},
		{name: name + ", p99", got: h.gaps.at(99), limit: p99, unit: "ms"},
	}
}

// handOff starts chains so that rate tasks run in a second, and reads from the history of tries how
// long each waited. All chains have ended when it returns.
func (s *server) handOff(db *database, chain api.ID, rate float64, length time.Duration) (h *handOffs, err error) {
	rows, err := sql.Open(db.driver, db.source)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	load := openLoop{
		rate: rate / chainTasks, length: warming,
		request: func(ctx context.Context, _ int) error { return s.start(ctx, chain) },
	}
	if _, err := load.run(context.Background()); err != nil {
		return nil, errors.Join(err, s.failure())
	}
	var last int64
	if err := rows.QueryRow("SELECT max(id) FROM attempt").Scan(&last); err != nil {
		return nil, err
	}
	load.length = length
	h = &handOffs{gaps: newLatencies()}
	if h.loads, err = load.run(context.Background()); err != nil {
		return nil, errors.Join(err, s.failure())
	}
	if err := allEnded(rows, last); err != nil {
		return nil, errors.Join(err, s.failure())
	}
	return h, readGaps(rows, last, h.gaps)
}

// allEnded waits until no attempt with a larger id runs.
func allEnded(rows *sql.DB, after int64) error {
	return untilEvery(rarely, 2*time.Minute, func() (bool, error) {
		var n int
		err := rows.QueryRow("SELECT count(*) FROM attempt WHERE id > $1 AND finished_at IS NULL", after).Scan(&n)
		return n == 0, err
	})
}

// readGaps reads how long each task of a chain started after the end of the one before it. The ids of
// a chain's tasks are in its order.
func readGaps(rows *sql.DB, after int64, gaps *latencies) (err error) {
	const query = `SELECT gap FROM (
		SELECT started_at - lag(ended_at) OVER (PARTITION BY attempt_id ORDER BY task_id) AS gap FROM task_try WHERE attempt_id > $1
	) AS tries WHERE gap IS NOT NULL`
	found, err := rows.Query(query, after)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, found.Close()) }()
	for found.Next() {
		var us int64
		if err := found.Scan(&us); err != nil {
			return err
		}
		gaps.record(time.Duration(us) * time.Microsecond)
	}
	if err := found.Err(); err != nil {
		return err
	}
	if gaps.count() == 0 {
		return errors.New("no chain has run")
	}
	return nil
}
