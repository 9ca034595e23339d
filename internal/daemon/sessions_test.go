package daemon

import (
	"errors"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// Where require> may not leave its project, it fails in the same way for an existing project and a missing one, by name and
// by id. Otherwise it finds the other workflow, as in Digdag.
func TestRequireOfOtherProjects(t *testing.T) {
	t.Parallel()
	db := trowtest.Store(t)
	workflows := map[string]*trowel.Workflow{}
	var projects []trowel.ProjectID
	for _, name := range []string{"own", "other"} {
		p := trowtest.Push(t, db, name, map[string]string{"w": "{}"})
		workflows[name], projects = p.Workflows["w"], append(projects, p.ID)
	}
	asks := &trowel.Attempt{ProjectID: projects[0], WorkflowID: workflows["own"].ID, Zone: "UTC", Params: param.New(), CreatedAt: time.Now()}
	session := &trowel.Session{ProjectID: projects[0], Workflow: "w", Time: time.Unix(1700000000, 0), UUID: "00000000-0000-0000-0000-000000000001"}
	trowtest.Update(t, db, func(tx trowel.Tx) error { return tx.InsertAttempt(t.Context(), session, asks) })
	for _, row := range []struct {
		name    string
		project operator.StartRequest
		free    trowel.WorkflowID // the workflow found without the restriction; zero for none
		kept    trowel.WorkflowID
	}{
		{"own by id", operator.StartRequest{ProjectID: projects[0]}, workflows["own"].ID, workflows["own"].ID},
		{"own by name", operator.StartRequest{ProjectID: projects[1], ProjectName: "own"}, workflows["own"].ID, workflows["own"].ID},
		{"other by id", operator.StartRequest{ProjectID: projects[1]}, workflows["other"].ID, 0},
		{"other by name", operator.StartRequest{ProjectID: projects[0], ProjectName: "other"}, workflows["other"].ID, 0},
		{"none by id", operator.StartRequest{ProjectID: 4711}, 0, 0},
		{"none by name", operator.StartRequest{ProjectID: projects[0], ProjectName: "none"}, 0, 0},
	} {
		r := row.project
		r.Workflow, r.Requirer = "w", asks.ID
		free, err := (&serverSessions{store: db}).find(t.Context(), r)
		if free != row.free || (row.free == 0) != errors.Is(err, trowel.ErrNotFound) {
			t.Errorf("%s: workflow %d, %v, want %d", row.name, free, err, row.free)
		}
		kept, err := (&serverSessions{store: db, own: true}).find(t.Context(), r)
		failure, refused := errors.AsType[*operator.Failure](err)
		if kept != row.kept || (row.kept == 0) != refused || refused && failure.Message != textOtherProject {
			t.Errorf("%s, kept to its project: workflow %d, %v, want %d", row.name, kept, err, row.kept)
		}
	}
}
