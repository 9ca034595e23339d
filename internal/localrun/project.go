package localrun

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/logging"
	"github.com/trowel-project/trowel/internal/param"
)

// project is the project of a run as its database has it.
type project struct {
	files    *dig.Project
	store    trowel.Store
	log      *slog.Logger
	row      trowel.Project
	revision trowel.Revision
	workflow trowel.Workflow // the one that is run
}

// storeProject stores the project as Digdag's local mode does: under the name default, as a revision
// named after the present instant.
func storeProject(ctx context.Context, store trowel.Store, o *Options, now time.Time) (*project, error) {
	p := &project{
		files: o.Project, store: store, log: o.Log, row: trowel.Project{Name: "default", CreatedAt: now},
		revision: trowel.Revision{Name: now.UTC().Format(time.RFC3339Nano), Params: o.Params, Archive: trowel.Archive{Type: trowel.ArchiveNone}, CreatedAt: now},
	}
	workflows := make([]*trowel.Workflow, len(o.Project.Workflows))
	for i, w := range o.Project.Workflows {
		workflows[i] = &trowel.Workflow{Name: w.Name, Zone: w.Zone.ID, Definition: w.Definition, Origin: w.Origin}
	}
	err := store.Update(ctx, func(tx trowel.Tx) error { return tx.InsertRevision(ctx, &p.row, &p.revision, workflows) })
	for i, w := range o.Project.Workflows {
		if w == o.Workflow {
			p.workflow = *workflows[i]
		}
	}
	return p, err
}

// attemptOf describes an attempt of a workflow of this project.
func (p *project) attemptOf(w *dig.Workflow, row trowel.Workflow, at time.Time, params *param.Map, tasks []dig.Task, cause, name string) flush.Start {
	limits, _ := dig.ControlOf(w.Definition) // Load has refused what is wrong
	return flush.Start{
		Context: trowel.AttemptContext{
			Project: p.row, Revision: p.revision, Workflow: row, Limits: limits,
			Session: trowel.Session{ProjectID: p.row.ID, Workflow: w.Name, Time: at, UUID: uuid.NewString()},
		},
		Tasks:   tasks,
		Attempt: trowel.Attempt{WorkflowID: row.ID, Name: name, Zone: w.Zone.ID, Params: params, Cause: cause, Actor: "cli"},
	}
}

// tellSession logs that a session begins, as Digdag does.
func (p *project) tellSession(ctx context.Context, w *dig.Workflow, at time.Time) {
	logging.Print(ctx, p.log, slog.LevelInfo, fmt.Sprintf("Starting a new session project id=%d workflow name=%s session_time=%s",
		p.row.ID, w.Name, at.In(w.Zone.Location).Format(trowel.SessionTimeLayout)))
}
