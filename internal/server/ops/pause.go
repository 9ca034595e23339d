package ops

import (
	"errors"
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cluster"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// maxWaiting is how many waiting attempts of a workflow are counted.
const maxWaiting = 100

// pauses are the handlers that pause workflows.
type pauses struct {
	limits           Limits
	schedulesChanged func(one *trowel.Schedule)
}

// pause stops new attempts of a workflow from beginning (control K816).
func (h *pauses) pause(c *rest.Call) (any, error) {
	return h.change(c, "workflow.pause", func(tx trowel.Tx, p *trowel.Pause) error {
		_, workflows, err := newestWorkflow(c, tx, p)
		if err != nil {
			return err
		}
		if workflows == 0 {
			return rest.NotFound("the newest revision of the project has no workflow %q", p.Workflow)
		}
		err = tx.PutPause(c.Ctx(), p)
		if errors.Is(err, trowel.ErrConflict) {
			return rest.Conflict(rest.CodePaused, "workflow %q is paused already", p.Workflow)
		}
		return err
	})
}

// newestWorkflow counts the workflows of that name in the newest revision: 0 or 1.
func newestWorkflow(c *rest.Call, tx trowel.Tx, p *trowel.Pause) (*trowel.Revision, int, error) {
	r, err := tx.FindRevision(c.Ctx(), p.ProjectID, "")
	if err != nil {
		return nil, 0, rest.OrNoResource(err, "project id=%d", p.ProjectID)
	}
	list, err := tx.ListWorkflows(c.Ctx(), trowel.WorkflowFilter{Revision: r.ID, Name: p.Workflow, Limit: 1})
	return r, len(list), err
}

// resume ends a pause. Attempts that wait begin at once.
func (h *pauses) resume(c *rest.Call) (any, error) {
	return h.change(c, "workflow.resume", func(tx trowel.Tx, p *trowel.Pause) error {
		err := tx.DeletePause(c.Ctx(), p.ProjectID, p.Workflow)
		if errors.Is(err, trowel.ErrNotFound) {
			return rest.Conflict(rest.CodeNotPaused, "workflow %q is not paused", p.Workflow)
		}
		return err
	})
}

func (h *pauses) change(c *rest.Call, action string, change func(trowel.Tx, *trowel.Pause) error) (any, error) {
	var request api.NoteRequest
	if err := c.DecodeOptional(&request); err != nil {
		return nil, err
	}
	var shape api.WorkflowState
	of := trowel.WorkflowName{Name: c.PathText()}
	err := c.Update(func(tx trowel.Tx) error {
		project, err := find.LiveProject(c, tx)
		if err != nil {
			return err
		}
		of.ProjectID = project.ID
		before, err := workflowState(c, tx, project)
		if err != nil {
			return err
		}
		err = change(tx, &trowel.Pause{ProjectID: project.ID, Workflow: of.Name, At: c.Now, Actor: c.Caller.Name, Note: request.Note})
		if err != nil {
			return err
		}
		if shape, err = workflowState(c, tx, project); err != nil {
			return err
		}
		err = c.Record(tx, trowel.AuditRecord{
			Action: action, ObjectKind: "workflow", ObjectID: of.Name, Object: project.Name + "/" + of.Name, ProjectID: project.ID, Workflow: of.Name,
			Note: request.Note, Before: param.Of("paused", before.Paused != nil), After: param.Of("paused", shape.Paused != nil),
		})
		if err != nil {
			return err
		}
		return tx.Notify(c.Ctx(), cluster.Admit(of).String())
	})
	if err != nil {
		return nil, err
	}
	h.limits.Admit(of)
	h.schedulesChanged(nil)
	c.Log().Info("pause of a workflow changed", c.LogFields(shape.Project.Name, slog.String("workflow", of.Name), slog.String("action", action))...)
	return shape, nil
}

// workflowState returns the pause of a workflow, if any, and its numbers of attempts.
func workflowState(c *rest.Call, tx trowel.Tx, project *trowel.Project) (api.WorkflowState, error) {
	state := api.WorkflowState{Project: document.IDName(*project), Workflow: c.PathText()}
	p, err := tx.FindPause(c.Ctx(), project.ID, c.PathText())
	switch {
	case err == nil:
		state.Paused = &api.Pause{At: document.Instant(p.At), By: p.Actor, Note: p.Note}
	case !errors.Is(err, trowel.ErrNotFound):
		return state, err
	}
	if state.Running, err = tx.CountAdmitted(c.Ctx(), project.ID, c.PathText()); err != nil {
		return state, err
	}
	waiting, err := tx.ListWaiting(c.Ctx(), project.ID, c.PathText(), maxWaiting)
	state.Waiting = len(waiting)
	return state, err
}

// getWorkflowState reports whether a workflow is paused.
func getWorkflowState(c *rest.Call) (any, error) {
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.WorkflowState, error) { return workflowState(c, tx, p) })
}
