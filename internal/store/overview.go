package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlCountLive = `SELECT t.state, a.project_id, t.needs, CASE WHEN t.state = 4 THEN t.agent_id END AS agent, count(*), min(t.ready_at)
FROM (SELECT state, attempt_id, needs, agent_id, ready_at FROM task WHERE ` + liveCondition + ` AND state IN (1, 4)) t
JOIN attempt a ON a.id = t.attempt_id GROUP BY 1, 2, 3, 4`
	sqlEachLive = `SELECT t.*, a.project_id FROM (SELECT ` + liveColumns + ` FROM task WHERE ` + liveCondition + ` AND state = $1) t
JOIN attempt a ON a.id = t.attempt_id`
	sqlNameTasks = `SELECT t.id, t.full_name, a.id, p.id, p.name, a.workflow FROM task t JOIN attempt a ON a.id = t.attempt_id
JOIN project p ON p.id = a.project_id`
	// To be filled in: the places of the names, and the number of the attempt's place.
	timesTaken = `SELECT full_name, max(ended_at - started_at) FROM task_try WHERE full_name IN (%s) AND attempt_id = $%d
AND exit_kind = 'success' AND started_at IS NOT NULL GROUP BY full_name`
	sqlListTaskNames = `SELECT id, full_name FROM task WHERE attempt_id = $1`
)

func (t *tx) CountLive(ctx context.Context) ([]trowel.LiveCount, error) {
	var list []trowel.LiveCount
	needs := needsReader{}
	err := t.rows(ctx, sqlCountLive, nil, func(scan func(...any) error) error {
		var c trowel.LiveCount
		var text, agent sql.NullString
		var oldest sql.NullInt64
		if err := scan(&c.State, &c.ProjectID, &text, &agent, &c.Count, &oldest); err != nil {
			return err
		}
		var err error
		c.Requirements, err = needs.read(text)
		c.AgentID, c.Oldest = agent.String, instant(oldest)
		list = append(list, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count live tasks: %w", err)
	}
	return list, nil
}

func (t *tx) EachLive(ctx context.Context, state trowel.TaskState, f func(*trowel.LiveTask, trowel.ProjectID) error) error {
	read := liveReader{needs: needsReader{}}
	err := t.rows(ctx, sqlEachLive, []any{state}, func(scan func(...any) error) error {
		var project trowel.ProjectID
		read.list = read.list[:0]
		err := read.row(func(columns ...any) error { return scan(append(columns, &project)...) })
		if err != nil {
			return err
		}
		return f(&read.list[0], project)
	})
	if err != nil {
		return fmt.Errorf("look at live tasks: %w", err)
	}
	return nil
}

func (t *tx) NameTasks(ctx context.Context, tasks map[trowel.TaskID]trowel.AttemptID) (map[trowel.TaskID]trowel.TaskName, error) {
	named := make(map[trowel.TaskID]trowel.TaskName, len(tasks))
	for some := range slices.Chunk(slices.Sorted(maps.Keys(tasks)), lockedAtOnce) {
		args := make([]any, 0, 2*powerOfTwo(len(some)))
		for i := range powerOfTwo(len(some)) {
			id := some[min(i, len(some)-1)]
			args = append(args, int64(tasks[id]), int64(id))
		}
		err := t.rows(ctx, nameTasks(len(some)), args, func(scan func(...any) error) error {
			var n trowel.TaskName
			err := scan(&n.TaskID, &n.FullName, &n.AttemptID, &n.ProjectID, &n.Project, &n.Workflow)
			named[n.TaskID] = n
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("name tasks: %w", err)
		}
	}
	return named, nil
}

// nameTasks returns a statement with places for n tasks or more.
func nameTasks(n int) string {
	places := &places{}
	tasks := make([]string, powerOfTwo(n))
	for i := range tasks {
		tasks[i] = `(t.attempt_id = ` + places.next() + ` AND t.id = ` + places.next() + `)`
	}
	return sqlNameTasks + ` WHERE ` + strings.Join(tasks, " OR ")
}

func (t *tx) FindTimesTaken(ctx context.Context, attempt trowel.AttemptID, names []string) (map[string]time.Duration, error) {
	took := map[string]time.Duration{}
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(names))), lockedAtOnce) {
		args := append(paddedTexts(some), attempt)
		query := fmt.Sprintf(timesTaken, manyPlaces(len(some)), len(args))
		err := t.rows(ctx, query, args, func(scan func(...any) error) error {
			var name string
			var us int64
			err := scan(&name, &us)
			took[name] = time.Duration(us) * time.Microsecond
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find how long tasks of attempt %d took: %w", attempt, err)
		}
	}
	return took, nil
}

func (t *tx) ListTaskNames(ctx context.Context, attempt trowel.AttemptID) (map[trowel.TaskID]string, error) {
	list := map[trowel.TaskID]string{}
	err := t.rows(ctx, sqlListTaskNames, []any{attempt}, func(scan func(...any) error) error {
		var id trowel.TaskID
		var name string
		err := scan(&id, &name)
		list[id] = name
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list names of tasks of attempt %d: %w", attempt, err)
	}
	return list, nil
}
