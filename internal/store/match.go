package store

import (
	"context"
	"fmt"

	trowel "github.com/trowel-project/trowel"
)

const (
	sqlMatchProjects  = `SELECT ` + projectColumns + ` FROM project p`
	sqlMatchWorkflows = `SELECT ` + projectColumns + `, w.name, r.name, c.zone FROM project p
JOIN revision r ON r.id = p.revision_id JOIN workflow w ON w.revision_id = r.id JOIN workflow_config c ON c.id = w.config_id`
	sqlMatchRevisions = `SELECT ` + projectColumns + `, ` + revisionColumns + ` FROM (SELECT r.* FROM revision r WHERE r.name >= $1 AND r.name < $2
ORDER BY r.name, r.id LIMIT $3) AS r JOIN project p ON p.id = r.project_id
WHERE p.deleted_at IS NULL AND ($4 = 0 OR p.id = $4) ORDER BY r.name, r.id DESC LIMIT $5`
	sqlMatchAttempts = sqlSelectSummary + ` WHERE a.id IN (SELECT n.id FROM (SELECT n.id FROM attempt n
WHERE n.name <> '' AND n.name >= $1 AND n.name < $2 ORDER BY n.name, n.id LIMIT $3) AS n)
AND p.deleted_at IS NULL AND ($4 = 0 OR a.project_id = $4) ORDER BY a.name, a.id LIMIT $5`
	sqlTaskAttempt = `SELECT attempt_id, full_name FROM task WHERE id = $1`
)

// lookedAt is how many rows of a common name are looked at for those of one project.
const lookedAt = 500

// names adds the conditions of words on a lower-case text, and returns the order of the best ones by a name.
func (s *selection) names(words []string, text, name string) (order string) {
	for _, word := range words {
		s.and("replace("+text+", ?, '') <> "+text, word)
	}
	if len(words) == 0 {
		return name
	}
	last := s.place(words[len(words)-1])
	return "CASE WHEN lower(" + name + ") = " + last + " THEN 0 WHEN substr(lower(" + name + "), 1, length(" + last + ")) = " + last +
		" THEN 1 ELSE 2 END, length(" + name + "), " + name
}

func (t *tx) MatchProjects(ctx context.Context, q trowel.NameQuery) ([]trowel.Project, error) {
	var s selection
	s.and("p.deleted_at IS NULL AND p.revision_id IS NOT NULL")
	if q.Project != 0 {
		s.and("p.id = ?", q.Project)
	}
	order := s.names(q.Words, "lower(p.name)", "p.name")
	var list []trowel.Project
	err := t.rows(ctx, s.text(sqlMatchProjects, order, q.Limit), s.args, func(scan func(...any) error) error {
		var p trowel.Project
		var row projectRow
		err := scan(row.dest(&p)...)
		row.fill(&p)
		list = append(list, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find projects by name: %w", err)
	}
	return list, nil
}

func (t *tx) MatchWorkflows(ctx context.Context, q trowel.NameQuery) ([]trowel.NamedWorkflow, error) {
	var s selection
	s.and("p.deleted_at IS NULL")
	if q.Project != 0 {
		s.and("p.id = ?", q.Project)
	}
	order := s.names(q.Words, "lower(p.name || '/' || w.name)", "w.name")
	var list []trowel.NamedWorkflow
	err := t.rows(ctx, s.text(sqlMatchWorkflows, order+", p.name", q.Limit), s.args, func(scan func(...any) error) error {
		var w trowel.NamedWorkflow
		var row projectRow
		err := scan(append(row.dest(&w.Project), &w.Name, &w.Revision, &w.Zone)...)
		row.fill(&w.Project)
		list = append(list, w)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find workflows by name: %w", err)
	}
	return list, nil
}

func (t *tx) MatchRevisions(ctx context.Context, q trowel.NameQuery) ([]trowel.ProjectRevision, error) {
	var list []trowel.ProjectRevision
	err := t.rows(ctx, sqlMatchRevisions, prefixArgs(&q), func(scan func(...any) error) error {
		var both trowel.ProjectRevision
		var p projectRow
		var r revisionRow
		if err := scan(append(p.dest(&both.Project), r.dest(&both.Revision)...)...); err != nil {
			return err
		}
		p.fill(&both.Project)
		err := r.fill(&both.Revision)
		list = append(list, both)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find revisions by name: %w", err)
	}
	return list, nil
}

func prefixArgs(q *trowel.NameQuery) []any {
	return []any{q.Words[0], afterPrefix(q.Words[0]), lookedAt, int64(q.Project), q.Limit}
}

func (t *tx) MatchAttempts(ctx context.Context, q trowel.NameQuery) ([]*trowel.AttemptSummary, error) {
	list, err := t.summaries(ctx, sqlMatchAttempts, prefixArgs(&q), 0)
	if err != nil {
		return nil, fmt.Errorf("find attempts by name: %w", err)
	}
	return list, nil
}

// matchBytes ends a list of sessions, whose parameters may be large.
const matchBytes = 4 << 20

func (t *tx) MatchSessions(ctx context.Context, span trowel.SessionSpan) ([]*trowel.AttemptSummary, error) {
	var s selection
	if span.Project != 0 {
		s.and("n.project_id = ? AND n.workflow = ?", span.Project, span.Workflow)
	}
	s.and("n.session_time >= ? AND n.session_time < ?", micros(span.From), micros(span.To))
	// The page is chosen by the index alone, as planners otherwise join all sessions of the time first.
	page := s.text("SELECT n.id FROM session n", "n.session_time DESC, n.id DESC", span.Limit)
	query := sqlSelectSession + " WHERE s.id IN (SELECT n.id FROM (" + page + ") AS n) AND p.deleted_at IS NULL ORDER BY s.session_time DESC, s.id DESC"
	list, err := t.summaries(ctx, query, s.args, matchBytes)
	if err != nil {
		return nil, fmt.Errorf("find sessions by time: %w", err)
	}
	return list, nil
}

func (t *tx) FindTaskAttempt(ctx context.Context, id trowel.TaskID) (s *trowel.AttemptSummary, name string, err error) {
	var attempt trowel.AttemptID
	if err = t.row(ctx, sqlTaskAttempt, []any{id}, &attempt, &name); err == nil {
		s, err = t.FindAttemptSummary(ctx, attempt)
	}
	if err != nil {
		return nil, "", fmt.Errorf("find the attempt of task %d: %w", id, err)
	}
	return s, name, nil
}
