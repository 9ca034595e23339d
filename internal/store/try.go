package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlSelectTries = `SELECT attempt_id, task_id, number, full_name, agent_id, ready_at, claimed_at, started_at, ended_at,
exit_kind, last_lines, links, peak_memory, cpu_time, bytes_written FROM task_try WHERE attempt_id = $1`
	sqlListTries = sqlSelectTries + ` ORDER BY ended_at, task_id, number`
	sqlFindTry   = sqlSelectTries + ` AND task_id = $2 AND number = $3`
)

const tryColumns = `attempt_id BIGINT, task_id BIGINT, number INTEGER, full_name TEXT, agent_id TEXT, ready_at BIGINT, claimed_at BIGINT,
started_at BIGINT, ended_at BIGINT, exit_kind TEXT, last_lines TEXT`

// tellingTryColumns are those of a try with links or usage. Most tries have none and are written without these columns.
const tellingTryColumns = tryColumns + `, links TEXT, peak_memory BIGINT, cpu_time BIGINT, bytes_written BIGINT`

func (t *tx) InsertTries(ctx context.Context, tries []trowel.Try) error {
	err := t.attemptsExist(ctx, len(tries), func(i int) trowel.AttemptID { return tries[i].AttemptID })
	if err != nil {
		return fmt.Errorf("insert %d tries: %w", len(tries), err)
	}
	plain, telling := byTelling(tries)
	err = t.bulk(ctx, bulk{table: "task_try", columns: tryColumns}, len(plain), func(v *values, i int) { v.try(&plain[i]) })
	if err == nil {
		err = t.bulk(ctx, bulk{table: "task_try", columns: tellingTryColumns}, len(telling), func(v *values, i int) {
			row := &telling[i]
			v.try(row)
			v.links(row.Links)
			v.id(row.Usage.PeakMemory)
			v.id(row.Usage.CPUTime.Microseconds())
			v.id(row.Usage.BytesWritten)
		})
	}
	if err != nil {
		return fmt.Errorf("insert %d tries: %w", len(tries), err)
	}
	return nil
}

// byTelling divides tries into those without links and usage and the others. It copies nothing if there are no others.
func byTelling(tries []trowel.Try) (plain, telling []trowel.Try) {
	tells := func(row *trowel.Try) bool { return len(row.Links) > 0 || row.Usage != trowel.Usage{} }
	first := 0
	for first < len(tries) && !tells(&tries[first]) {
		first++
	}
	plain = tries[:first:first]
	for i := first; i < len(tries); i++ {
		if tells(&tries[i]) {
			telling = append(telling, tries[i])
		} else {
			plain = append(plain, tries[i])
		}
	}
	return plain, telling
}

// try writes the columns that all tries have.
func (v *values) try(row *trowel.Try) {
	v.number(int64(row.AttemptID))
	v.number(int64(row.TaskID))
	v.number(int64(row.Number))
	v.name(row.FullName)
	v.text(row.AgentID)
	v.instant(row.ReadyAt)
	v.instant(row.ClaimedAt)
	v.instant(row.StartedAt)
	v.instant(row.EndedAt)
	v.name(row.Exit)
	v.lines(row.LastLines)
}

// links writes links as JSON; none become NULL.
func (v *values) links(links []trowel.Link) {
	if len(links) == 0 {
		v.null()
		return
	}
	v.whole(mustJSON(links))
}

func (t *tx) ListTries(ctx context.Context, attempt trowel.AttemptID) ([]trowel.Try, error) {
	list, err := t.tries(ctx, sqlListTries, attempt)
	if err != nil {
		return nil, fmt.Errorf("list tries of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) FindTry(ctx context.Context, attempt trowel.AttemptID, try trowel.TryID) (*trowel.Try, error) {
	row, err := first(t.tries(ctx, sqlFindTry, attempt, try.Task, try.Number))
	if err != nil {
		return nil, fmt.Errorf("find try %d of task %d: %w", try.Number, try.Task, err)
	}
	return &row, nil
}

func (t *tx) tries(ctx context.Context, query string, args ...any) ([]trowel.Try, error) {
	var list []trowel.Try
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var row trowel.Try
		var agent, last sql.NullString
		var links sql.NullString
		var ready, claimed, started, ended, memory, cpu, written sql.NullInt64
		err := scan(&row.AttemptID, &row.TaskID, &row.Number, &row.FullName, &agent, &ready, &claimed, &started, &ended, &row.Exit, &last,
			&links, &memory, &cpu, &written)
		err = errors.Join(err, readJSON(links, &row.Links))
		row.Usage = trowel.Usage{PeakMemory: memory.Int64, CPUTime: time.Duration(cpu.Int64) * time.Microsecond, BytesWritten: written.Int64}
		row.AgentID, row.LastLines = agent.String, readLines(last)
		row.ReadyAt, row.ClaimedAt, row.StartedAt, row.EndedAt = instant(ready), instant(claimed), instant(started), instant(ended)
		list = append(list, row)
		return err
	})
	return list, err
}
