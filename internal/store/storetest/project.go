package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
)

// A project is made with its first revision, and later ones join it. A workflow is found in the
// newest revision.
func testProjects(t *testing.T, db trowel.Store) {
	first := newSetting(t, db)
	project := trowel.Project{Name: "p", CreatedAt: at(100)}
	revision := trowel.Revision{Name: "r2", CreatedAt: at(100)}
	workflows := []*trowel.Workflow{
		{Name: "w", Zone: "UTC", Definition: param.Of("+b", param.New(), "+a", param.New())}, {Name: "other", Zone: "UTC"},
	}
	workflows[0].Origin = trowel.Origin{Place: "w.dig:1:1", Bodies: param.Of("+b", "1:1", "+a", "2:1")}
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

// All fields of a revision come back. Revisions are found by name, as the newest one, and in
// pages, newest first.
func testRevisions(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	var all []*trowel.Revision
	for i := range 5 {
		r := &trowel.Revision{
			Name: "full" + string(rune('a'+i)), Params: rich(), UserInfo: param.Of("name", "somebody"), Actor: "a\u00e4", CreatedAt: at(int64(10 + i)),
			Archive: trowel.Archive{Type: "db", Key: "p/1", MD5: []byte("0123456789abcde\xff"), SizeBytes: 1 << 40},
		}
		p := trowel.Project{Name: "p", CreatedAt: at(99)}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertRevision(ctx, &p, r, nil) })
		all = append([]*trowel.Revision{r}, all...)
	}
	all = append(all, &s.Revision)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		named, errNamed := tx.FindRevision(ctx, s.Project.ID, "fullc")
		equal(t, "FindRevision(fullc)", named, all[2])
		newest, errNewest := tx.FindRevision(ctx, s.Project.ID, "")
		equal(t, "FindRevision of the newest", newest, all[0])
		page, errPage := tx.ListRevisions(ctx, s.Project.ID, 0, 4)
		equal(t, "first page of revisions", page, all[:4])
		rest, errRest := tx.ListRevisions(ctx, s.Project.ID, all[3].ID, 4)
		equal(t, "second page of revisions", rest, all[4:])
		beyond, errBeyond := tx.ListRevisions(ctx, s.Project.ID, 1<<40, 1)
		equal(t, "revisions before a large id", beyond, all[:1])
		_, errUnknown := tx.FindRevision(ctx, s.Project.ID, "unknown")
		_, errProject := tx.FindRevision(ctx, 999, "")
		wantNotFound(t, map[string]error{"FindRevision(unknown)": errUnknown, "FindRevision of an unknown project": errProject})
		return errors.Join(errNamed, errNewest, errPage, errRest, errBeyond)
	})
	// ErrTaken comes with the project's id.
	p := trowel.Project{Name: "p", CreatedAt: at(0)}
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertRevision(ctx, &p, &trowel.Revision{Name: "fulla", CreatedAt: at(0)}, nil)
	})
	equal(t, "project of a clash", p.ID, s.Project.ID)
}

// A deleted project keeps its rows, loses its schedules and secrets, and frees its name.
func testDeletedProjects(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a := newAttempt(t, db, s, "")
	schedule := newSchedule(s, at(10))
	pool := newPool(s.Project.ID, "mine", 1)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.InsertSchedule(ctx, schedule), tx.PutSecret(ctx, newSecret(s, "k")), tx.InsertPool(ctx, pool),
			tx.PutPause(ctx, &trowel.Pause{ProjectID: s.Project.ID, Workflow: "w", At: at(11)}))
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteProject(ctx, s.Project.ID, at(50)) })
	refuse(t, db, trowel.ErrNotFound, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteProject(ctx, s.Project.ID, at(51)) })
	refuse(t, db, trowel.ErrNotFound, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteProject(ctx, 999, at(51)) })
	deleted := s.Project
	deleted.DeletedAt = at(50)
	again := trowel.Project{Name: "p", CreatedAt: at(60)}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, errName := tx.FindProject(ctx, "p")
		_, errSchedule := tx.FindSchedule(ctx, schedule.ID)
		_, errSecret := tx.FindSecret(ctx, s.Project.ID, trowel.SecretProject, "k")
		wantNotFound(t, map[string]error{"deleted project": errName, "its schedule": errSchedule, "its secret": errSecret})
		_, errPause := tx.FindPause(ctx, s.Project.ID, "w")
		wantNotFound(t, map[string]error{"pause": errPause})
		pools, errPools := tx.ListPools(ctx)
		equal(t, "number of pools, while an attempt may use them", len(pools), 2)
		found, err := tx.FindProjectByID(ctx, s.Project.ID)
		equal(t, "deleted project by id", found, &deleted)
		definition, errDefinition := tx.FindDefinition(ctx, s.Workflow.ID)
		equal(t, "definition of a deleted project", definition, &trowel.Definition{Project: deleted, Revision: s.Revision, Workflow: s.Workflow})
		summary, errSummary := tx.FindAttemptSummary(ctx, a.ID)
		if errSummary == nil {
			equal(t, "project of an attempt", summary.Project, deleted)
		}
		listed, errList := tx.ListProjects(ctx, trowel.ProjectFilter{Limit: -1})
		equal(t, "number of projects", len(listed), 0)
		workflows, errWorkflows := tx.ListWorkflows(ctx, trowel.WorkflowFilter{Limit: -1})
		equal(t, "number of workflows", len(workflows), 0)
		return errors.Join(err, errDefinition, errSummary, errList, errWorkflows, errPools)
	})
	a.FinishedAt = at(55)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.UpdateAttempts(ctx, a) })
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, err := tx.DeleteAttempts(ctx, at(50), nil)
		pools, errPools := tx.ListPools(ctx)
		equal(t, "number of pools at the end", len(pools), 1)
		return errors.Join(err, errPools)
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertRevision(ctx, &again, &trowel.Revision{Name: "r1", CreatedAt: at(60)}, nil)
	})
	if again.ID == s.Project.ID || !again.DeletedAt.IsZero() {
		t.Errorf("project of the same name has id %d and is deleted at %v, want another id than %d", again.ID, again.DeletedAt, s.Project.ID)
	}
}

// Projects are listed with their newest revision, in pages, and by a literal part of their
// name.
func testProjectLists(t *testing.T, db trowel.Store) {
	var all []trowel.ProjectRevision
	for _, name := range []string{"alpha", "Beta", "alphabet", "50%", "under_score", "\u00e4lpha"} {
		var last trowel.ProjectRevision
		for _, revision := range []string{"r1", "r2"} {
			last = trowel.ProjectRevision{
				Project: trowel.Project{Name: name, CreatedAt: at(1)}, Revision: trowel.Revision{Name: revision, CreatedAt: at(2), Params: rich()},
			}
			update(t, db, func(ctx context.Context, tx trowel.Tx) error {
				return tx.InsertRevision(ctx, &last.Project, &last.Revision, nil)
			})
		}
		all = append(all, last)
	}
	for _, row := range []struct {
		what   string
		filter trowel.ProjectFilter
		want   []trowel.ProjectRevision
	}{
		{"all", trowel.ProjectFilter{Limit: -1}, all},
		{"first page", trowel.ProjectFilter{Limit: 2}, all[:2]},
		{"second page", trowel.ProjectFilter{Limit: 2, After: all[1].Project.ID}, all[2:4]},
		{"part of the name", trowel.ProjectFilter{Limit: -1, Name: "alpha"}, []trowel.ProjectRevision{all[0], all[2]}},
		{"part with another case", trowel.ProjectFilter{Limit: -1, Name: "ALPHA"}, nil},
		{"percent sign", trowel.ProjectFilter{Limit: -1, Name: "0%"}, all[3:4]},
		{"underline", trowel.ProjectFilter{Limit: -1, Name: "r_s"}, all[4:5]},
		{"umlaut", trowel.ProjectFilter{Limit: -1, Name: "\u00e4"}, all[5:]},
		{"one", trowel.ProjectFilter{Limit: -1, Only: all[1].Project.ID}, all[1:2]},
		{"one that comes before", trowel.ProjectFilter{Limit: -1, Only: all[1].Project.ID, After: all[1].Project.ID}, nil},
		{"none", trowel.ProjectFilter{Limit: 0}, nil},
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListProjects(ctx, row.filter)
			equal(t, "ListProjects: "+row.what, got, row.want)
			return err
		})
	}
}

// Workflows are listed from the newest revisions or from one, in both orders, by name and by parts of
// names. Revisions share definitions that did not change.
func testWorkflowLists(t *testing.T, db trowel.Store) {
	push := func(project, revision string, workflows ...*trowel.Workflow) (list []*trowel.Definition) {
		p, r := trowel.Project{Name: project, CreatedAt: at(1)}, trowel.Revision{Name: revision, CreatedAt: at(2)}
		update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertRevision(ctx, &p, &r, workflows) })
		for _, w := range workflows {
			list = append(list, &trowel.Definition{Project: p, Revision: r, Workflow: *w})
		}
		return list
	}
	workflow := func(name, zone string, definition *param.Map) *trowel.Workflow {
		return &trowel.Workflow{Name: name, Zone: zone, Definition: definition}
	}
	old := push("etl", "r1", workflow("load", "UTC", rich()), workflow("gone", "UTC", nil))
	etl := push("etl", "r2", workflow("load", "UTC", rich()), workflow("clean", "Asia/Tokyo", rich()), workflow("empty", "UTC", nil))
	ml := push("ml", "r1", workflow("load", "UTC", rich()), workflow("etl_all", "UTC", param.Of("+a", param.New())))
	all := append(append([]*trowel.Definition{}, etl...), ml...)
	reversed := []*trowel.Definition{ml[1], ml[0], etl[2], etl[1], etl[0]}
	for _, row := range []struct {
		what   string
		filter trowel.WorkflowFilter
		want   []*trowel.Definition
	}{
		{"all", trowel.WorkflowFilter{Limit: -1}, all},
		{"page", trowel.WorkflowFilter{Limit: 2, After: etl[1].Workflow.ID}, all[2:4]},
		{"descending", trowel.WorkflowFilter{Limit: -1, Descending: true}, reversed},
		{"descending page", trowel.WorkflowFilter{Limit: 2, Descending: true, After: ml[0].Workflow.ID}, reversed[2:4]},
		{"old revision", trowel.WorkflowFilter{Limit: -1, Revision: old[0].Revision.ID}, old},
		{"project", trowel.WorkflowFilter{Limit: -1, Project: ml[0].Project.ID}, ml},
		{"old revision of another project", trowel.WorkflowFilter{Limit: -1, Revision: old[0].Revision.ID, Project: ml[0].Project.ID}, nil},
		{"name", trowel.WorkflowFilter{Limit: -1, Name: "load"}, []*trowel.Definition{etl[0], ml[0]}},
		{"name in a revision", trowel.WorkflowFilter{Limit: -1, Name: "load", Revision: ml[0].Revision.ID}, ml[:1]},
		{"part of the name", trowel.WorkflowFilter{Limit: -1, Pattern: "l"}, []*trowel.Definition{etl[0], etl[1], ml[0], ml[1]}},
		{"part of either name", trowel.WorkflowFilter{Limit: -1, Pattern: "etl", OrProject: true}, append(append([]*trowel.Definition{}, etl...), ml[1])},
	} {
		view(t, db, func(ctx context.Context, tx trowel.Tx) error {
			got, err := tx.ListWorkflows(ctx, row.filter)
			equal(t, "ListWorkflows: "+row.what, got, row.want)
			return err
		})
	}
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		_, err := tx.FindDefinition(ctx, 999)
		wantNotFound(t, map[string]error{"FindDefinition(999)": err})
		return nil
	})
}

// Two pushes to one project at once wait for each other, and the newest revision is the one with the
// largest id.
func testParallelRevisions(t *testing.T, db trowel.Store) {
	parallel(t, writers, func(i int) error {
		for n := range 5 {
			err := db.Update(t.Context(), func(tx trowel.Tx) error {
				p, r := trowel.Project{Name: "p", CreatedAt: at(1)}, trowel.Revision{Name: string(rune('a'+i)) + string(rune('0'+n)), CreatedAt: at(1)}
				return tx.InsertRevision(t.Context(), &p, &r, []*trowel.Workflow{{Name: "w", Zone: "UTC", Definition: rich()}})
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		projects, err := tx.ListProjects(ctx, trowel.ProjectFilter{Limit: -1})
		if err != nil || len(projects) != 1 {
			t.Fatalf("%d projects, %v, want 1", len(projects), err)
		}
		revisions, err := tx.ListRevisions(ctx, projects[0].Project.ID, 0, 100)
		equal(t, "number of revisions", len(revisions), writers*5)
		equal(t, "newest revision", &projects[0].Revision, revisions[0])
		return err
	})
}
