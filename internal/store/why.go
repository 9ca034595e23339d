package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

const (
	outlineColumns = `id, parent_id, full_name, state, flags, round, parent_round, upstreams, wait_reason, updated_at`
	busyColumns    = `t.attempt_id, t.id, t.full_name, a.project_id, p.name, a.workflow, t.agent_id, t.ready_at, t.claimed_at, t.needs, t.holds`
	busyTables     = ` FROM task t JOIN attempt a ON a.id = t.attempt_id JOIN project p ON p.id = a.project_id`

	sqlSelectTasks    = `SELECT ` + taskColumns + ` FROM task`
	sqlFindTasksNamed = `SELECT id FROM task WHERE attempt_id = $1
AND substr(full_name, length(full_name) - length($2) + 1) = $2 ORDER BY id LIMIT $3`
	sqlFindFirstTask = `SELECT coalesce(min(id), 0) FROM task WHERE attempt_id = $1`
	sqlListOutlines  = `SELECT ` + outlineColumns + ` FROM task WHERE attempt_id = $1 ORDER BY id`
	sqlListChildren  = `SELECT ` + outlineColumns + ` FROM task WHERE attempt_id = $1 AND parent_id = $2 ORDER BY id`
	sqlCountChildren = `SELECT parent_round, state, count(*), min(id) FROM task WHERE attempt_id = $1 AND parent_id = $2
GROUP BY parent_round, state ORDER BY parent_round, state`
	// The first condition is that of index task_live.
	sqlListReady  = `SELECT ` + busyColumns + busyTables + ` WHERE t.begun AND t.state = 1 LIMIT $1`
	sqlListBusy   = `SELECT ` + busyColumns + busyTables + ` WHERE t.begun AND t.state = 4 LIMIT $1`
	sqlCountBusy  = `SELECT agent_id, attempt_id = $1, count(*) FROM task WHERE begun AND state = 4 GROUP BY 1, 2`
	sqlCountReady = `SELECT needs, holds, flags, min(id), count(*), min(ready_at) FROM task WHERE attempt_id = $1 AND begun AND state = 1
GROUP BY 1, 2, 3`
	sqlListUnfinished   = `SELECT ` + outlineColumns + ` FROM task WHERE attempt_id = $1 AND (state <> 7 OR is_group) ORDER BY id`
	sqlListWaitingTasks = `SELECT id FROM task WHERE attempt_id = $1 AND id > $2 AND state IN (0, 1, 2, 3, 5, 11, 12) ORDER BY id LIMIT $3`
	sqlFindWorkflowKeys = `SELECT c.definition FROM attempt a JOIN workflow w ON w.id = a.workflow_id JOIN workflow_config c ON c.id = w.config_id
WHERE a.id = $1`
	sqlListAdmitted = `SELECT a.id FROM attempt a WHERE a.project_id = $1 AND a.workflow = $2 AND a.finished_at IS NULL AND a.wait_reason IS NULL
AND NOT EXISTS (SELECT 1 FROM delayed_attempt d WHERE d.attempt_id = a.id) ORDER BY a.id LIMIT $3`
	sqlListTriesOf  = sqlSelectTries + ` AND task_id = $2 ORDER BY number`
	sqlListTelling  = sqlSelectTries + ` AND (links IS NOT NULL OR peak_memory IS NOT NULL OR cpu_time IS NOT NULL OR bytes_written IS NOT NULL) ORDER BY task_id, number`
	sqlListAuditsAt = `SELECT at, batch, entries FROM audit WHERE attempt_id = $1 AND at = $2 ORDER BY id`
)

func (t *tx) FindTasks(ctx context.Context, attempt trowel.AttemptID, ids []trowel.TaskID) ([]*trowel.Task, error) {
	var list []*trowel.Task
	read := newTaskReader()
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for some := range slices.Chunk(ids, lockedAtOnce) {
		err := t.rows(ctx, findTasks(len(some)), append(padded(some), attempt), func(scan func(...any) error) error {
			row, err := read.scan(scan)
			list = append(list, row)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find tasks of attempt %d: %w", attempt, err)
		}
	}
	return list, nil
}

// findTasks returns a statement with places for the attempt and for n ids or more.
func findTasks(n int) string {
	return sqlSelectTasks + ` WHERE id IN (` + manyPlaces(n) + `) AND attempt_id = $` + strconv.Itoa(powerOfTwo(n)+1) + ` ORDER BY id`
}

func (t *tx) FindFirstTask(ctx context.Context, attempt trowel.AttemptID) (id trowel.TaskID, err error) {
	if err := t.row(ctx, sqlFindFirstTask, []any{attempt}, &id); err != nil {
		return 0, fmt.Errorf("find the root of attempt %d: %w", attempt, err)
	}
	return id, nil
}

func (t *tx) FindTasksNamed(ctx context.Context, attempt trowel.AttemptID, name string, limit int) ([]trowel.TaskID, error) {
	var list []trowel.TaskID
	err := t.rows(ctx, sqlFindTasksNamed, []any{attempt, text(name), limit}, func(scan func(...any) error) error {
		var id trowel.TaskID
		err := scan(&id)
		list = append(list, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find tasks %q of attempt %d: %w", name, attempt, err)
	}
	return list, nil
}

func (t *tx) ListOutlines(ctx context.Context, attempt trowel.AttemptID, parent trowel.TaskID) ([]trowel.TaskOutline, error) {
	if parent != 0 {
		return t.outlines(ctx, sqlListChildren, attempt, attempt, parent)
	}
	return t.outlines(ctx, sqlListOutlines, attempt, attempt)
}

func (t *tx) ListUnfinished(ctx context.Context, attempt trowel.AttemptID) ([]trowel.TaskOutline, error) {
	return t.outlines(ctx, sqlListUnfinished, attempt, attempt)
}

func (t *tx) outlines(ctx context.Context, query string, attempt trowel.AttemptID, args ...any) ([]trowel.TaskOutline, error) {
	var list []trowel.TaskOutline
	read := newTaskReader()
	var up, updated sql.NullInt64
	var upstreams, wait sql.NullString
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		var row trowel.TaskOutline
		err := scan(&row.ID, &up, &row.FullName, &row.State, &row.Flags, &row.Round, &row.ParentRound, &upstreams, &wait, &updated)
		if err != nil {
			return err
		}
		row.ParentID, row.WaitReason, row.UpdatedAt = trowel.TaskID(up.Int64), trowel.WaitCode(wait.String), instant(updated)
		row.Upstreams, err = read.ids(upstreams.String)
		list = append(list, row)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list outlines of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) CountChildren(ctx context.Context, attempt trowel.AttemptID, parent trowel.TaskID) ([]trowel.ChildCount, error) {
	var list []trowel.ChildCount
	err := t.rows(ctx, sqlCountChildren, []any{attempt, parent}, func(scan func(...any) error) error {
		var c trowel.ChildCount
		err := scan(&c.ParentRound, &c.State, &c.Count, &c.First)
		list = append(list, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count children of task %d: %w", parent, err)
	}
	return list, nil
}

func (t *tx) ListReady(ctx context.Context, limit int) ([]trowel.BusyTask, error) {
	return t.busy(ctx, "list ready tasks", sqlListReady, limit)
}

func (t *tx) ListBusy(ctx context.Context, limit int) ([]trowel.BusyTask, error) {
	return t.busy(ctx, "list running tasks", sqlListBusy, limit)
}

func (t *tx) busy(ctx context.Context, what, query string, limit int) ([]trowel.BusyTask, error) {
	var list []trowel.BusyTask
	read := needsReader{}
	err := t.rows(ctx, query, []any{limit}, func(scan func(...any) error) error {
		var b trowel.BusyTask
		var agent, needs, holds sql.NullString
		var ready, claimed sql.NullInt64
		err := scan(&b.AttemptID, &b.TaskID, &b.FullName, &b.ProjectID, &b.Project, &b.Workflow, &agent, &ready, &claimed, &needs, &holds)
		if err != nil {
			return err
		}
		b.AgentID, b.ReadyAt, b.ClaimedAt = agent.String, instant(ready), instant(claimed)
		var errNeeds error
		b.Requirements, errNeeds = read.read(needs)
		err = errors.Join(errNeeds, readJSON(holds, &b.Acquired))
		list = append(list, b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return list, nil
}

func (t *tx) CountBusy(ctx context.Context, attempt trowel.AttemptID) (agents map[string]int, of int, err error) {
	agents = map[string]int{}
	err = t.rows(ctx, sqlCountBusy, []any{attempt}, func(scan func(...any) error) error {
		var agent sql.NullString
		var own bool
		var n int
		err := scan(&agent, &own, &n)
		agents[agent.String] += n
		if own {
			of += n
		}
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("count running tasks: %w", err)
	}
	return agents, of, nil
}

func (t *tx) CountReady(ctx context.Context, attempt trowel.AttemptID) ([]trowel.ReadyCount, error) {
	var list []trowel.ReadyCount
	read := needsReader{}
	err := t.rows(ctx, sqlCountReady, []any{attempt}, func(scan func(...any) error) error {
		var c trowel.ReadyCount
		var needs, holds sql.NullString
		var ready sql.NullInt64
		if err := scan(&needs, &holds, &c.Flags, &c.First, &c.Count, &ready); err != nil {
			return err
		}
		c.ReadyAt = instant(ready)
		var err error
		c.Requirements, err = read.read(needs)
		err = errors.Join(err, readJSON(holds, &c.Acquired))
		list = append(list, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count ready tasks of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) ListWaitingTasks(ctx context.Context, attempt trowel.AttemptID, after trowel.TaskID, limit int) ([]trowel.TaskID, error) {
	var list []trowel.TaskID
	err := t.rows(ctx, sqlListWaitingTasks, []any{attempt, after, limit}, func(scan func(...any) error) error {
		var id trowel.TaskID
		err := scan(&id)
		list = append(list, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list waiting tasks of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) FindWorkflowKeys(ctx context.Context, attempt trowel.AttemptID, keys []string) (*param.Map, error) {
	var text sql.NullString
	err := t.row(ctx, sqlFindWorkflowKeys, []any{attempt}, &text)
	found := param.New()
	if err == nil && text.Valid {
		found, err = param.Pick(text.String, keys...)
	}
	if err != nil {
		return nil, fmt.Errorf("find keys of the workflow of attempt %d: %w", attempt, err)
	}
	return found, nil
}

func (t *tx) ListAdmitted(ctx context.Context, project trowel.ProjectID, workflow string, limit int) ([]trowel.AttemptID, error) {
	var list []trowel.AttemptID
	err := t.rows(ctx, sqlListAdmitted, []any{project, workflow, limit}, func(scan func(...any) error) error {
		var id trowel.AttemptID
		err := scan(&id)
		list = append(list, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list admitted attempts of workflow %q of project %d: %w", workflow, project, err)
	}
	return list, nil
}

func (t *tx) ListTriesOf(ctx context.Context, attempt trowel.AttemptID, task trowel.TaskID) ([]trowel.Try, error) {
	list, err := t.tries(ctx, sqlListTriesOf, attempt, task)
	if err != nil {
		return nil, fmt.Errorf("list tries of task %d: %w", task, err)
	}
	return list, nil
}

func (t *tx) ListTellingTries(ctx context.Context, attempt trowel.AttemptID) ([]trowel.Try, error) {
	list, err := t.tries(ctx, sqlListTelling, attempt)
	if err != nil {
		return nil, fmt.Errorf("list tries with links or usage of attempt %d: %w", attempt, err)
	}
	return list, nil
}

func (t *tx) ListAuditsAt(ctx context.Context, attempt trowel.AttemptID, at time.Time) ([]trowel.AuditEntry, error) {
	list, err := t.audits(ctx, attempt, sqlListAuditsAt, attempt, micros(at))
	if err != nil {
		return nil, fmt.Errorf("list the audit of attempt %d at %s: %w", attempt, at, err)
	}
	return list, nil
}
