package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// blockedTasks are in each of a thousand attempts behind one task that waits for a year.
const blockedTasks = 1000

// millionBlocked compares a server whose database has a million blocked tasks with one whose database is
// empty. The two take turns.
func millionBlocked(b *bench) (results []result, err error) {
	rate, err := b.noopTasks()
	if err != nil {
		return nil, err
	}
	empty, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	full, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	if err := b.blockTasks(full, int64(b.scale*1000)); err != nil {
		return nil, err
	}
	sides := []*contender{{db: empty}, {db: full}}
	for _, c := range sides {
		begun := time.Now()
		if c.server, err = b.serve(c.db); err != nil {
			return nil, err
		}
		c.start = time.Since(begun)
		defer func() { err = errors.Join(err, c.server.stop()) }()
		if c.wide, err = c.server.pushWide(); err != nil {
			return nil, err
		}
		if c.chain, err = c.server.pushChain(); err != nil {
			return nil, err
		}
		c.gaps = newLatencies()
	}
	const rounds = 3
	for range rounds {
		for _, c := range sides {
			if err := c.round(rate * handOffAt); err != nil {
				return nil, err
			}
		}
	}
	return compareBlocked(sides[0], sides[1])
}

// contender is one of two servers that do the same, to be compared.
type contender struct {
	db          *database
	server      *server
	start       time.Duration // until it answers
	wide, chain api.ID
	took        []time.Duration // for the wide attempts
	gaps        *latencies      // of the chains
}

// round runs the wide attempts twice and chains for some seconds.
func (c *contender) round(rate float64) error {
	for range 2 {
		s, err := c.server.atOnce(c.wide, wideAttempts)
		if err != nil {
			return err
		}
		c.took = append(c.took, s.wall)
	}
	h, err := c.server.handOff(c.db, c.chain, rate, measuring/3)
	if err != nil {
		return err
	}
	c.gaps.add(h.gaps)
	return nil
}

// throughput is the middle of all runs, in tasks a second.
func (c *contender) throughput() float64 {
	sorted := slices.Sorted(slices.Values(c.took))
	return wideAttempts * wideTasks / sorted[len(sorted)/2].Seconds()
}

func compareBlocked(empty, full *contender) ([]result, error) {
	use, err := full.server.usage()
	if err != nil {
		return nil, err
	}
	before, after := empty.throughput(), full.throughput()
	var ratios []float64 // of runs that followed one another
	for i := range full.took {
		ratios = append(ratios, full.took[i].Seconds()/empty.took[i].Seconds())
	}
	name := "a million blocked tasks against none: "
	return []result{
		{
			name: name + "time of no-op tasks", got: middle(ratios), limit: 1.2, unit: "x",
			note: fmt.Sprintf("%.4g tasks/s, %.4g without; start of the server %.3g s, its RSS %.4g MB", after, before, full.start.Seconds(), use.rssMB),
		},
		{name: name + "hand-off, p50", got: full.gaps.at(50) / empty.gaps.at(50), limit: 1.2, unit: "x", note: full.gaps.String()},
		{name: name + "hand-off, p99", got: full.gaps.at(99) / empty.gaps.at(99), limit: 1.2, unit: "x", note: empty.gaps.String() + " without"},
	}, nil
}

// blockTasks fills a database with attempts that wait: a server runs one of them, and its rows are copied.
func (b *bench) blockTasks(db *database, attempts int64) (err error) {
	s, err := b.serve(db)
	if err != nil {
		return err
	}
	text := "+first:\n  sh>: exit 1\n  _retry:\n    limit: 3\n    interval: 31536000\n+second:\n  _parallel: true\n" +
		repeat(blockedTasks-20, "  +t%d: {echo>: task %[1]d}\n") + repeat(20, "+last%d: {echo>: task %[1]d}\n")
	id, err := s.push("waiting", "waiting", "waiting.dig", text)
	if err == nil {
		_, err = s.begin(id)
	}
	ctx := context.Background()
	if err == nil {
		err = until(time.Minute, func() (bool, error) { return waits(db) })
	}
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	c, err := b.newCopier(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close(ctx, b)) }()
	return c.copyWaiting(ctx, attempts-1)
}

// waits reports whether the only attempt of a database waits for its retry.
func waits(db *database) (bool, error) {
	n, err := db.count("SELECT count(*) FROM task WHERE retry_at IS NOT NULL")
	return n == 1, err
}

// copyWaiting copies an attempt with its live tasks.
func (c *copier) copyWaiting(ctx context.Context, n int64) error {
	apart, err := c.largest(ctx, "task", "id")
	if err != nil {
		return err
	}
	apart = (apart/1000 + 1) * 1000
	task := func(column string) string { return fmt.Sprintf("t.%s + k * %d", column, apart) }
	const upstreams = "(SELECT string_agg((u::bigint + k * %d)::text, ',' ORDER BY n) FROM unnest(string_to_array(t.upstreams, ',')) WITH ORDINALITY AS x (u, n))"
	for _, table := range []struct {
		name    string
		changed map[string]string
	}{
		{"session", map[string]string{
			"id": "t.id + k", "uuid": "gen_random_uuid()::text", "session_time": "t.session_time + k * 1000000", "last_attempt_id": "t.last_attempt_id + k",
		}},
		{"attempt", map[string]string{"id": "t.id + k", "session_id": "t.session_id + k"}},
		{"attempt_version", map[string]string{"attempt_id": "t.attempt_id + k"}},
		{"task", map[string]string{"id": task("id"), "attempt_id": "t.attempt_id + k", "parent_id": task("parent_id"), "upstreams": fmt.Sprintf(upstreams, apart)}},
	} {
		if err := c.copyRows(ctx, table.name, n, table.changed); err != nil {
			return err
		}
	}
	if err := c.goOn(ctx, "session", "attempt"); err != nil {
		return err
	}
	return c.run(ctx, "SELECT setval('trowel.task_id', (SELECT (max(id) / 1000 + 1) * 1000 + 1 FROM trowel.task))")
}
