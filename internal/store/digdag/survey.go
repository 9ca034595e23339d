package digdag

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/store"
)

const (
	sqlListSites = `SELECT p.site_id, count(*), coalesce(sum((SELECT count(*) FROM session_attempts a WHERE a.project_id = p.id)), 0)
FROM projects p GROUP BY p.site_id ORDER BY p.site_id`
	sqlCountLocks  = `SELECT count(*) FROM queued_task_locks WHERE lock_expire_time > $1`
	sqlListRunning = `SELECT a.id, s.id, p.name, r.name, s.workflow_name, s.session_time, a.timezone, a.attempt_name, a.params, a.state_flags,
d.id IS NOT NULL FROM session_attempts a JOIN sessions s ON s.id = a.session_id JOIN projects p ON p.id = s.project_id
LEFT JOIN workflow_definitions w ON w.id = a.workflow_definition_id LEFT JOIN revisions r ON r.id = w.revision_id
LEFT JOIN delayed_session_attempts d ON d.id = a.id WHERE p.site_id = $1 AND a.state_flags & 2 = 0 ORDER BY a.id`
	sqlCountUnstored = `SELECT count(*) FROM session_attempts a JOIN projects p ON p.id = a.project_id
WHERE p.site_id = $1 AND a.state_flags & 2 <> 0 AND a.workflow_definition_id IS NULL`
	sqlListLastIDs = `SELECT t.name, greatest(t.last, coalesce(q.last_value, 0)) FROM (
SELECT 'projects' AS name, coalesce(max(id), 0)::bigint AS last FROM projects
UNION ALL SELECT 'revisions', coalesce(max(id), 0) FROM revisions
UNION ALL SELECT 'workflow_configs', coalesce(max(id), 0) FROM workflow_configs
UNION ALL SELECT 'workflow_definitions', coalesce(max(id), 0) FROM workflow_definitions
UNION ALL SELECT 'schedules', coalesce(max(id), 0) FROM schedules
UNION ALL SELECT 'sessions', coalesce(max(id), 0) FROM sessions
UNION ALL SELECT 'session_attempts', coalesce(max(id), 0) FROM session_attempts
UNION ALL SELECT 'tasks', coalesce(max(id), 0) FROM tasks) t
LEFT JOIN pg_catalog.pg_sequences q ON q.schemaname = current_schema() AND q.sequencename = t.name || '_id_seq'`
)

// killed is the bit of an attempt's state flags that a kill sets (server 6.4).
const killed = 1

// survey reports what is not copied. It refuses a site without projects if other sites have some.
func (c *copying) survey(ctx context.Context, now time.Time) error {
	var own *Site
	err := c.source.rows(ctx, sqlListSites, nil, func(scan func(...any) error) error {
		var s Site
		if err := scan(&s.ID, &s.Projects, &s.Attempts); err != nil {
			return err
		}
		if s.ID == c.opts.Site {
			own = &s
		} else {
			c.report.OtherSites = append(c.report.OtherSites, s)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list the sites of Digdag: %w", err)
	}
	if own == nil && len(c.report.OtherSites) > 0 {
		return c.noSite()
	}
	locks, err := c.source.number(ctx, sqlCountLocks, now.Unix())
	if err != nil {
		return fmt.Errorf("look for agents of Digdag: %w", err)
	}
	if locks > 0 {
		c.warn("Digdag seems to be running still: its agents hold %d tasks; what it does from now on is not copied", locks)
	}
	unstored, err := c.source.number(ctx, sqlCountUnstored, c.opts.Site)
	if err != nil {
		return fmt.Errorf("look for attempts without a workflow: %w", err)
	}
	if unstored > 0 {
		c.warn("%d attempts belong to no stored workflow and were not copied", unstored)
	}
	return c.listRunning(ctx)
}

func (c *copying) noSite() error {
	others := make([]string, len(c.report.OtherSites))
	for i, s := range c.report.OtherSites {
		others[i] = fmt.Sprintf("%d (%d projects)", s.ID, s.Projects)
	}
	return &trowel.Error{
		Kind: trowel.ErrInvalid, Message: fmt.Sprintf("site %d has no projects; those that have are %s", c.opts.Site, strings.Join(others, ", ")),
		Hint: "choose one with --site",
	}
}

func (c *copying) listRunning(ctx context.Context) error {
	err := c.source.rows(ctx, sqlListRunning, []any{c.opts.Site}, func(scan func(...any) error) error {
		var r Running
		var project, revision, params sql.NullString
		var at sql.NullInt64
		var flags int
		err := scan(&r.Attempt, &r.Session, &project, &revision, &r.Workflow, &at, &r.Zone, &r.Name, &params, &flags, &r.Waiting)
		if err != nil {
			return err
		}
		r.Project, r.Revision, r.SessionTime, r.Killed = project.String, revision.String, seconds(at), flags&killed != 0
		if r.Params, err = object(params); err != nil {
			return broken("session_attempts", r.Attempt, err)
		}
		c.report.Running = append(c.report.Running, r)
		return nil
	})
	if err != nil {
		return fmt.Errorf("list running attempts: %w", err)
	}
	return nil
}

// lastIDs returns the largest ids that Digdag ever gave, on any site. If the sequences cannot be read, it returns
// the largest ids of the rows.
func (s *Source) lastIDs(ctx context.Context) (last store.LastIDs, err error) {
	into := map[string]*int64{
		"projects": &last.Project, "revisions": &last.Revision, "workflow_configs": &last.Config, "workflow_definitions": &last.Workflow,
		"schedules": &last.Schedule, "sessions": &last.Session, "session_attempts": &last.Attempt, "tasks": &last.Task,
	}
	err = s.rows(ctx, sqlListLastIDs, nil, func(scan func(...any) error) error {
		var table string
		var id int64
		if err := scan(&table, &id); err != nil {
			return err
		}
		*into[table] = id
		return nil
	})
	if err != nil {
		return last, fmt.Errorf("read the last ids of Digdag: %w", err)
	}
	return last, nil
}
