package digdag

import (
	"context"
	"database/sql"

	trowel "github.com/trowel-project/trowel"
)

// A deleted project has no schedules. Digdag leaves its secrets behind, which nobody can use.
const (
	ofSchedules = ` FROM schedules s JOIN projects p ON p.id = s.project_id JOIN workflow_definitions d ON d.id = s.workflow_definition_id
WHERE p.site_id = $1 AND p.name IS NOT NULL`
	sqlCountSchedules = `SELECT count(*)` + ofSchedules
	sqlListSchedules  = `SELECT s.id, s.project_id, d.name, d.id, s.next_run_time, s.next_schedule_time, s.last_session_time,
s.created_at, s.updated_at, s.disabled_at` + ofSchedules + ` ORDER BY s.id`

	ofSecrets       = ` FROM secrets s JOIN projects p ON p.id = s.project_id WHERE p.site_id = $1 AND p.name IS NOT NULL`
	sqlCountSecrets = `SELECT count(*)` + ofSecrets
	sqlListSecrets  = `SELECT s.id, s.project_id, s.scope, s.engine, s.key, s.value, s.updated_at` + ofSecrets + ` ORDER BY s.id`
)

// engineAESGCM is the engine whose stored form is the same in this program (server 3.7).
const engineAESGCM = "aesgcm"

func (c *copying) schedules(ctx context.Context, done func(int)) error {
	b := noted(c.target.Schedules, done)
	err := c.source.rows(ctx, sqlListSchedules, []any{c.opts.Site}, func(scan func(...any) error) error {
		s := &trowel.Schedule{}
		var nextRun, nextSession, last sql.NullInt64
		var disabled sql.NullTime
		err := scan(&s.ID, &s.ProjectID, &s.Workflow, &s.WorkflowID, &nextRun, &nextSession, &last, &s.CreatedAt, &s.UpdatedAt, &disabled)
		if err != nil {
			return err
		}
		s.NextRunAt, s.NextSessionAt, s.LastSessionAt, s.DisabledAt = seconds(nextRun), seconds(nextSession), seconds(last), disabled.Time
		return b.add(ctx, s, 0)
	})
	if err != nil {
		return err
	}
	return b.flush(ctx)
}

// secrets copies secrets, in the form that is bound to project and key. If one of them cannot be bound, the database is
// marked so that both forms are read.
func (c *copying) secrets(ctx context.Context, done func(int)) error {
	unbound, foreign := 0, 0
	err := c.source.rows(ctx, sqlListSecrets, []any{c.opts.Site}, func(scan func(...any) error) error {
		s := &trowel.Secret{}
		var id int64
		if err := scan(&id, &s.ProjectID, &s.Scope, &s.Engine, &s.Key, &s.Value, &s.UpdatedAt); err != nil {
			return err
		}
		if s.Engine != engineAESGCM {
			foreign++
		} else if !c.rebind(s, unbound == 0) {
			unbound++
		}
		if err := c.target.PutSecret(ctx, s); err != nil {
			return err
		}
		done(1)
		return nil
	})
	if foreign > 0 {
		c.warn("%d secrets were stored by another engine than %s and cannot be read: set them anew", foreign, engineAESGCM)
	}
	if err == nil && unbound > 0 {
		err = c.target.AllowUnboundSecrets(ctx)
	}
	return err
}

// rebind brings a secret into the bound form, and reports whether it has that now.
func (c *copying) rebind(s *trowel.Secret, first bool) bool {
	if c.opts.Rebind == nil {
		return false
	}
	err := c.opts.Rebind(s)
	if err != nil && first {
		c.warn("secrets were copied as they are, since the settings of the target do not decrypt %q of project %d: %v; "+
			"set digdag.secret-encryption-key to the key of Digdag's server, and then call `trowel secrets rewrite`", s.Key, s.ProjectID, err)
	}
	return err == nil
}
