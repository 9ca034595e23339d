package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// Workflows are read together with their project and revision.
const (
	definitionColumns = projectColumns + `, ` + revisionColumns + `, w.id, w.revision_id, w.name, c.zone, c.definition, c.origin`
	definitionTables  = ` FROM workflow w JOIN workflow_config c ON c.id = w.config_id JOIN revision r ON r.id = w.revision_id
JOIN project p ON p.id = r.project_id`

	sqlFindConfig     = `SELECT id, zone, definition, origin FROM workflow_config WHERE project_id = $1 AND digest = $2 ORDER BY id`
	sqlInsertConfig   = `INSERT INTO workflow_config (project_id, digest, zone, definition, origin) VALUES ($1, $2, $3, $4, $5) RETURNING id`
	sqlInsertWorkflow = `INSERT INTO workflow (revision_id, name, config_id) VALUES ($1, $2, $3) RETURNING id`
	sqlFindDefinition = `SELECT ` + definitionColumns + definitionTables + ` WHERE w.id = $1`
	sqlFindWorkflow   = `SELECT ` + definitionColumns + definitionTables + ` WHERE p.id = $1 AND r.id = p.revision_id AND w.name = $2`
)

func (t *tx) insertWorkflow(ctx context.Context, project trowel.ProjectID, w *trowel.Workflow) error {
	config, err := t.workflowConfig(ctx, project, w)
	if err == nil {
		err = t.row(ctx, sqlInsertWorkflow, []any{w.RevisionID, w.Name, config}, &w.ID)
	}
	if err != nil {
		return fmt.Errorf("insert workflow %q: %w", w.Name, err)
	}
	return nil
}

// configDigest returns the first bytes of a hash of a definition, its zone, and its origin if that is known.
func configDigest(zone, definition, origin string) int64 {
	content := zone + " " + definition
	if origin != "" {
		content += " " + origin
	}
	sum := sha256.Sum256([]byte(content))
	return int64(binary.BigEndian.Uint64(sum[:8])) //nolint:gosec // all bits count, the sign has no meaning
}

// workflowConfig returns the row with that definition and zone. It makes one unless an earlier revision has.
func (t *tx) workflowConfig(ctx context.Context, project trowel.ProjectID, w *trowel.Workflow) (id int64, err error) {
	definition := ""
	if w.Definition.Len() > 0 {
		definition = text(param.JSON(w.Definition))
	}
	origin := text(w.Origin.Text())
	digest := configDigest(w.Zone, definition, origin)
	err = t.rows(ctx, sqlFindConfig, []any{project, digest}, func(scan func(...any) error) error {
		var row int64
		var zone string
		var stored, written sql.NullString
		if err := scan(&row, &zone, &stored, &written); err != nil {
			return err
		}
		if id == 0 && zone == w.Zone && stored.String == definition && written.String == origin {
			id = row
		}
		return nil
	})
	if err != nil || id != 0 {
		return id, err
	}
	return id, t.row(ctx, sqlInsertConfig, []any{project, digest, w.Zone, optional(definition), optional(origin)}, &id)
}

func (t *tx) FindDefinition(ctx context.Context, id trowel.WorkflowID) (*trowel.Definition, error) {
	d, err := t.definition(ctx, sqlFindDefinition, id)
	if err != nil {
		return nil, fmt.Errorf("find workflow %d: %w", id, err)
	}
	return d, nil
}

func (t *tx) FindWorkflow(ctx context.Context, project trowel.ProjectID, name string) (*trowel.Workflow, *trowel.Revision, error) {
	d, err := t.definition(ctx, sqlFindWorkflow, project, name)
	if err != nil {
		return nil, nil, fmt.Errorf("find workflow %q: %w", name, err)
	}
	return &d.Workflow, &d.Revision, nil
}

func (t *tx) ListWorkflows(ctx context.Context, f trowel.WorkflowFilter) ([]*trowel.Definition, error) {
	var s selection
	if f.Revision != 0 {
		s.and("r.id = ?", f.Revision)
	} else {
		s.and("p.deleted_at IS NULL AND r.id = p.revision_id")
	}
	if f.Project != 0 {
		s.and("p.id = ?", f.Project)
	}
	if f.Name != "" {
		s.and("w.name = ?", f.Name)
	}
	switch {
	case f.Pattern == "":
	case f.OrProject:
		s.and("("+contains("w.name")+" OR "+contains("p.name")+")", f.Pattern, f.Pattern)
	default:
		s.and(contains("w.name"), f.Pattern)
	}
	order, after := "w.id", "w.id > ?"
	if f.Descending {
		order, after = "w.id DESC", "w.id < ?"
	}
	if f.After != 0 {
		s.and(after, f.After)
	}
	list, err := t.definitions(ctx, s.text("SELECT "+definitionColumns+definitionTables, order, f.Limit), s.args)
	if err != nil {
		return nil, fmt.Errorf("list workflows: %w", err)
	}
	return list, nil
}

func (t *tx) definition(ctx context.Context, query string, args ...any) (*trowel.Definition, error) {
	list, err := t.definitions(ctx, query, args)
	return first(list, err)
}

// first returns the only row of a list, or ErrNotFound.
func first[T any](list []T, err error) (T, error) {
	if err == nil && len(list) == 0 {
		err = trowel.ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

func (t *tx) definitions(ctx context.Context, query string, args []any) ([]*trowel.Definition, error) {
	var list []*trowel.Definition
	err := t.rows(ctx, query, args, func(scan func(...any) error) error {
		d := &trowel.Definition{}
		list = append(list, d)
		return scanDefinition(scan, d)
	})
	return list, err
}

// scanDefinition reads definitionColumns, and then the columns in more.
func scanDefinition(scan func(...any) error, d *trowel.Definition, more ...any) error {
	var p projectRow
	var r revisionRow
	var definition, origin sql.NullString
	dest := append(p.dest(&d.Project), r.dest(&d.Revision)...)
	dest = append(dest, &d.Workflow.ID, &d.Workflow.RevisionID, &d.Workflow.Name, &d.Workflow.Zone, &definition, &origin)
	if err := scan(append(dest, more...)...); err != nil {
		return err
	}
	p.fill(&d.Project)
	errRevision := r.fill(&d.Revision)
	var err error
	d.Workflow.Definition, err = readObject(definition)
	d.Workflow.Origin = trowel.ParseOrigin(origin.String)
	return errors.Join(errRevision, err)
}
