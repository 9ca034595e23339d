package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// A project is made with its first revision and taken up by later ones; a workflow is found in the
// newest revision.
func testProjects(t *testing.T, db trowel.Store) {
	first := newSetting(t, db)
	project := trowel.Project{Name: "p", CreatedAt: at(100)}
	revision := trowel.Revision{Name: "r2", CreatedAt: at(100)}
	workflows := []*trowel.Workflow{
		{Name: "w", Zone: "UTC", Definition: param.Of("+b", param.New(), "+a", param.New())}, {Name: "other", Zone: "UTC"},
	}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertRevision(ctx, &project, &revision, workflows)
	})
	equal(t, "project of the second revision", project, first.Project)
	if revision.ID <= first.Revision.ID || revision.ProjectID != project.ID {
		t.Errorf("second revision has id %d in project %d, want more than %d in %d", revision.ID, revision.ProjectID, first.Revision.ID, project.ID)
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		found, err := tx.FindProject(ctx, "p")
		equal(t, "FindProject", found, &first.Project)
		w, r, errFind := tx.FindWorkflow(ctx, project.ID, "w")
		equal(t, "FindWorkflow", w, workflows[0])
		equal(t, "revision of FindWorkflow", r, &revision)
		_, errUnknown := tx.FindProject(ctx, "unknown")
		_, _, errGone := tx.FindWorkflow(ctx, project.ID, "gone")
		for what, err := range map[string]error{"FindProject(unknown)": errUnknown, "FindWorkflow(gone)": errGone} {
			if !errors.Is(err, trowel.ErrNotFound) {
				t.Errorf("%s: %v, want not found", what, err)
			}
		}
		return errors.Join(err, errFind)
	})
}

func testRevisionConflicts(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertRevision(ctx, &trowel.Project{Name: "p", CreatedAt: at(0)}, &trowel.Revision{Name: "r1", CreatedAt: at(0)}, nil)
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		twice := []*trowel.Workflow{{Name: "x", Zone: "UTC"}, {Name: "x", Zone: "UTC"}}
		return tx.InsertRevision(ctx, &trowel.Project{Name: "new", CreatedAt: at(0)}, &trowel.Revision{Name: "r1", CreatedAt: at(0)}, twice)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		if _, err := tx.FindProject(ctx, "new"); !errors.Is(err, trowel.ErrNotFound) {
			t.Errorf("project of a refused revision: %v, want not found", err)
		}
		_, r, err := tx.FindWorkflow(ctx, s.Project.ID, "w")
		equal(t, "revision after the conflicts", r, &s.Revision)
		return err
	})
}
