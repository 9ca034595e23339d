package main

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// schedules measures 1,000 schedules that are due in the same second.
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
		r, err := b.dueAtOnce(on.open, on.servers, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", on.name, err)
		}
		r.name, r.limit = "1,000 schedules due at once: "+on.name, 2
		results = append(results, r)
	}
	return results, nil
}

// manySchedules measures 10,000 of them, in ten projects, with three servers.
func manySchedules(b *bench) ([]result, error) {
	r, err := b.dueAtOnce(b.postgresql, 3, 10)
	r.name, r.limit = "10,000 schedules due at once: three servers on PostgreSQL", 10
	return []result{r}, err
}

// dueOfProject is the number of schedules in a project.
const dueOfProject = 1000

// beforeDue is longer than servers take to start, and to look for due schedules.
const beforeDue = 5 * time.Second

// dueAtOnce lets servers start all workflows of some projects at the same instant. The result is the time from
// then until all have an attempt.
func (b *bench) dueAtOnce(open func() (*database, error), servers, projects int) (r result, err error) {
	db, err := open()
	if err != nil {
		return r, err
	}
	if err := b.pushScheduled(db, projects); err != nil {
		return r, err
	}
	rows, err := sql.Open(db.driver, strings.Replace(db.source, "mode=ro", "mode=rw", 1))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	at := time.Now().Add(beforeDue)
	if _, err := rows.Exec("UPDATE schedule SET next_run_at = $1", at.UnixMicro()); err != nil {
		return r, err
	}
	started, stop, err := b.cluster(db, servers)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if time.Now().After(at) {
		return r, fmt.Errorf("the servers were not there within %s", beforeDue)
	}
	<-time.After(time.Until(at))
	r, err = countDue(rows, at, projects*dueOfProject)
	if err != nil {
		return r, errors.Join(err, started[0].failure())
	}
	return r, startedOnce(rows, projects*dueOfProject)
}

// pushScheduled fills a database with projects whose workflows have schedules.
func (b *bench) pushScheduled(db *database, projects int) (err error) {
	s, err := b.serve(db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	var files []string
	for i := range dueOfProject {
		files = append(files, fmt.Sprintf("w%d.dig", i), "timezone: UTC\nschedule:\n  daily>: 00:00:00\n\n+hello:\n  echo>: hello\n")
	}
	for i := range projects {
		if _, err := s.push(fmt.Sprintf("due%d", i), "w0", files...); err != nil {
			return err
		}
	}
	return nil
}

// countDue waits until there are so many attempts, and until they have ended.
func countDue(rows *sql.DB, at time.Time, due int) (r result, err error) {
	count := func(where string, want int) (time.Duration, error) {
		err := untilEvery(rarely, time.Minute, func() (bool, error) {
			var n int
			err := rows.QueryRow("SELECT count(*) FROM attempt" + where).Scan(&n)
			return n == want, err
		})
		return time.Since(at), err
	}
	began, err := count("", due)
	if err != nil {
		return r, err
	}
	ended, err := count(" WHERE finished_at IS NULL", 0)
	note := fmt.Sprintf("all ended after %.3g s", ended.Seconds())
	return result{got: began.Seconds(), unit: "s", note: note}, err
}

// startedOnce reports whether each schedule has started exactly one attempt. The last decisions are stored
// after the attempts.
func startedOnce(rows *sql.DB, due int) error {
	err := untilEvery(rarely, time.Minute, func() (bool, error) {
		var n int
		err := rows.QueryRow("SELECT count(*) FROM schedule_decision").Scan(&n)
		return n >= due, err
	})
	if err != nil {
		return err
	}
	var attempts, sessions, decisions, decided int
	err = rows.QueryRow(`SELECT (SELECT count(*) FROM attempt), (SELECT count(*) FROM session),
		(SELECT count(*) FROM schedule_decision WHERE what = 'started'), (SELECT count(DISTINCT attempt_id) FROM schedule_decision)`).
		Scan(&attempts, &sessions, &decisions, &decided)
	if err == nil && (attempts != due || sessions != due || decisions != due || decided != due) {
		err = fmt.Errorf("%d schedules have started %d attempts of %d sessions, as %d decisions about %d attempts tell", due, attempts, sessions, decisions, decided)
	}
	return err
}
