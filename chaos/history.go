package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/chaos/verify"
)

// Entries of the audit have the instant of the server that wrote them, whose clock may be wrong, and numbers
// that they got before the commit. Only the database knows the order of commits.
// PostgreSQL stores the instant of each commit, by its own clock, which it reads while the transaction has
// all its locks. If one transaction waited for another, its instant is later. SQLite has one
// writer at a time, so there the numbers are the order.
const (
	sqlCommitsPostgres = `SELECT batch, min(id), pg_xact_commit_timestamp(xmin) FROM trowel.audit GROUP BY batch, xmin ORDER BY 3, 2`
	sqlCommitsSQLite   = `SELECT batch, min(id), NULL FROM audit GROUP BY batch ORDER BY 2`
	sqlKeepInstants    = `ALTER SYSTEM SET track_commit_timestamp = on`
)

// commits returns all transactions in the audit, without their entries, and their places by batch.
func (d *database) commits(ctx context.Context) (commits []verify.Commit, places map[int64]int, err error) {
	db, err := sql.Open(d.driver, d.url)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	statement := sqlCommitsSQLite
	if d.server != nil {
		statement = sqlCommitsPostgres
	}
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return nil, nil, fmt.Errorf("list transactions: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	places = map[int64]int{}
	for rows.Next() {
		var batch, first int64
		var at sql.NullTime
		if err := rows.Scan(&batch, &first, &at); err != nil {
			return nil, nil, err
		}
		if d.server != nil && !at.Valid {
			return nil, nil, fmt.Errorf("the database does not know when it committed entry %d of the audit", first)
		}
		if _, ok := places[batch]; ok {
			return nil, nil, fmt.Errorf("the audit has transaction %d twice", batch)
		}
		places[batch] = len(commits)
		commits = append(commits, verify.Commit{At: at.Time.In(time.UTC)})
	}
	return commits, places, rows.Err()
}

// history collects what verify reads.
type history struct {
	verify.History

	places map[int64]int
}

func (d *database) history(ctx context.Context) (*history, error) {
	h := &history{History: verify.History{Attempts: map[trowel.AttemptID]*verify.Attempt{}}}
	var err error
	h.Commits, h.places, err = d.commits(ctx)
	return h, err
}

// add reads an attempt.
func (h *history) add(ctx context.Context, tx trowel.Tx, s *trowel.AttemptSummary) (*verify.Attempt, error) {
	id := s.Attempt.ID
	a := &verify.Attempt{ID: id, ProjectID: s.Project.ID, Workflow: s.Session.Workflow, Flags: s.Attempt.Flags}
	h.Attempts[id] = a
	live, err := tx.ListTasks(ctx, id, -1)
	if err != nil {
		return nil, err
	}
	a.Live = len(live)
	a.Tasks, err = tx.ListArchivedTasks(ctx, id)
	if err != nil && !errors.Is(err, trowel.ErrNotFound) {
		return nil, err
	}
	a.Archived = err == nil
	if a.Tries, err = tx.ListTries(ctx, id); err != nil {
		return nil, err
	}
	entries, err := tx.ListAudits(ctx, id)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		place, ok := h.places[entries[i].Batch]
		if !ok {
			return nil, fmt.Errorf("entries of transaction %d came while they were read", entries[i].Batch)
		}
		h.Commits[place].Entries = append(h.Commits[place].Entries, entries[i])
	}
	return a, nil
}

// write writes everything to a file, one line for each change and for each try.
func (h *history) write(path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriter(file)
	names := map[trowel.TaskID]string{}
	for _, a := range h.Attempts {
		for _, t := range a.Tasks {
			names[t.ID] = t.FullName
		}
	}
	const clock = "15:04:05.000000"
	for place, c := range h.Commits {
		for _, e := range c.Entries {
			_, _ = fmt.Fprintf(out, "%s commit %d at %s: attempt %d task %d %s try %d: %s to %s by %s of %s\n", c.At.Format(clock), place, e.At.UTC().Format(clock),
				e.AttemptID, e.TaskID, names[e.TaskID], e.Try, e.From, e.To, e.Cause, e.Actor)
		}
	}
	for _, a := range h.Attempts {
		for i := range a.Tries {
			t := &a.Tries[i]
			_, _ = fmt.Fprintf(out, "attempt %d task %d %s try %d of %s: claimed %s started %s ended %s as %s\n", a.ID, t.TaskID, t.FullName, t.Number, t.AgentID,
				t.ClaimedAt.UTC().Format(clock), t.StartedAt.UTC().Format(clock), t.EndedAt.UTC().Format(clock), t.Exit)
		}
	}
	return out.Flush()
}
