package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// An archive of a million attempts has so many projects and workflows, which ran in turn. All tables are as
// a server fills them, except for the ids of tasks inside documents.
const (
	archiveProjects  = 10
	archiveWorkflows = 50
)

// millionArchived measures how long lists take in a database with a million ended attempts: the first time after a
// start of the database and the server, and later.
func millionArchived(b *bench) (results []result, err error) {
	db, err := b.postgresql()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := b.archiveAttempts(db, int64(b.scale*1e6/(archiveProjects*archiveWorkflows))); err != nil {
		return nil, err
	}
	filled := time.Since(begun)
	attempts, err := db.count("SELECT count(*) FROM attempt")
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if err := errors.Join(b.postgres.Stop(ctx), b.postgres.Start(ctx)); err != nil {
		return nil, err
	}
	s, err := b.serve(db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if s.token, err = s.newToken("admin"); err != nil {
		return nil, err
	}
	requests, err := s.listRequests(ctx)
	if err != nil {
		return nil, err
	}
	cold, err := s.slowest(ctx, requests, 1)
	if err != nil {
		return nil, err
	}
	const repeats = 20
	warm, err := s.slowest(ctx, requests, repeats)
	if err != nil {
		return nil, err
	}
	if len(warm.refused) > 0 {
		fmt.Fprintf(os.Stderr, "many: archived attempts: refused requests: %s\n", strings.Join(warm.refused, ", "))
	}
	name := "a million archived attempts: slowest list, "
	return []result{
		{
			name: name + "cold", got: millis(cold.took), limit: 100, unit: "ms",
			note: fmt.Sprintf("%s; %d requests, of which %d are refused; %d attempts, filled in %.3g s",
				cold.path, len(requests), len(cold.refused), attempts, filled.Seconds()),
		},
		{name: name + "warm, p95", got: millis(warm.took), limit: 100, unit: "ms", note: warm.path},
	}, nil
}

// archiveAttempts fills a database: a server runs each workflow once, and all rows are copied n times. One
// workflow only ran then, so that a search for its attempts should not look at all others.
func (b *bench) archiveAttempts(db *database, n int64) (err error) {
	s, err := b.serve(db)
	if err != nil {
		return err
	}
	err = s.runSamples()
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	ctx := context.Background()
	c, err := b.newCopier(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close(ctx, b)) }()
	return c.copyEnded(ctx, n-1)
}

// runSamples runs each workflow of each project once. A tenth of them fails. The first attempt is the rare one.
func (s *server) runSamples() error {
	id, err := s.push("rare", "rare", "rare.dig", "+hello:\n  echo>: hello\n")
	if err == nil {
		_, err = s.atOnce(id, 1)
	}
	if err != nil {
		return err
	}
	for p := range archiveProjects {
		name := fmt.Sprintf("project%d", p)
		var files []string
		for w := range archiveWorkflows {
			text := "timezone: UTC\nschedule:\n  daily>: 03:00:00\n+extract:\n  echo>: extract ${session_date}\n+load:\n  echo>: load\n"
			if w%10 == 0 {
				text += "+check:\n  fail>: no rows\n"
			}
			files = append(files, fmt.Sprintf("workflow%d.dig", w), text)
		}
		if _, err := s.push(name, "workflow0", files...); err != nil {
			return err
		}
		var ids []api.ID
		for w := range archiveWorkflows {
			id, err := s.workflowNamed(name, fmt.Sprintf("workflow%d", w))
			if err == nil {
				id, err = s.begin(id)
			}
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		for _, id := range ids {
			if err := s.end(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// end waits until an attempt has ended, successfully or not.
func (s *server) end(attempt api.ID) error {
	return until(time.Minute, func() (bool, error) {
		a, err := s.FindAttempt(context.Background(), attempt)
		return err == nil && a.Done, err
	})
}

// copyEnded copies sessions with their attempts and the remains of these, except the first one. The copies
// cover the last n times ten minutes.
func (c *copier) copyEnded(ctx context.Context, n int64) error {
	apart, err := c.apart(ctx, "session", "attempt", "task_try", "audit")
	if err != nil {
		return err
	}
	later := func(columns ...string) map[string]string {
		changed := map[string]string{}
		for _, column := range columns {
			changed[column] = fmt.Sprintf("t.%s - (%d - k) * 600000000::bigint", column, n+1)
		}
		return changed
	}
	ofAttempt := func(changed map[string]string) map[string]string {
		changed["attempt_id"] = fmt.Sprintf("t.attempt_id + k * %d", apart["attempt"])
		return changed
	}
	session := map[string]string{"session_time": "t.session_time + k * 600000000::bigint"}
	session["id"] = fmt.Sprintf("t.id + k * %d", apart["session"])
	session["uuid"] = "gen_random_uuid()::text"
	session["last_attempt_id"] = fmt.Sprintf("t.last_attempt_id + k * %d", apart["attempt"])
	attempt := later("created_at", "finished_at")
	attempt["id"] = fmt.Sprintf("t.id + k * %d", apart["attempt"])
	attempt["session_id"] = fmt.Sprintf("t.session_id + k * %d", apart["session"])
	try := ofAttempt(later("ready_at", "claimed_at", "started_at", "ended_at"))
	try["task_id"] = fmt.Sprintf("t.task_id + k * %d", apart["task_try"])
	audit := ofAttempt(later("at"))
	audit["id"] = fmt.Sprintf("t.id + k * %d", apart["audit"])
	for _, table := range []struct {
		name, which string
		changed     map[string]string
	}{
		{"session", "id > 1", session},
		{"attempt", "id > 1", attempt},
		{"task_archive", "attempt_id > 1", ofAttempt(later("created_at"))},
		{"task_try", "attempt_id > 1", try},
		{"audit", "attempt_id > 1", audit},
	} {
		if err := c.copySome(ctx, table.name, table.which, n, table.changed); err != nil {
			return err
		}
	}
	return c.goOn(ctx, "session", "attempt", "audit")
}

// apart returns the distance between the ids of copies.
func (c *copier) apart(ctx context.Context, tables ...string) (map[string]int64, error) {
	apart := map[string]int64{}
	for _, table := range tables {
		column := "id"
		if table == "task_try" {
			column = "task_id"
		}
		var err error
		if apart[table], err = c.largest(ctx, table, column); err != nil {
			return nil, err
		}
	}
	return apart, nil
}
