package v1

import (
	"context"
	"errors"
	"net/http"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

func (p *pageLimits) getAttempts(c *rest.Call) (any, error) {
	before, limit, err := readPage(c, p.attempts)
	if err != nil {
		return nil, err
	}
	filter := trowel.AttemptFilter{
		Project: c.Caller.Project, LastOnly: !c.FlagParam("include_retried"), Before: trowel.AttemptID(before), Limit: limit,
		MaxBytes: rest.MaxPageBytes,
	}
	var list []*trowel.AttemptSummary
	err = c.View(func(tx trowel.Tx) error {
		if c.Query.Has("project") {
			name := c.Query.Get("project")
			project, err := find.ProjectNamed(c, tx, name)
			if err != nil {
				return rest.OrNoResource(err, "project name=%s", name)
			}
			filter.Project, filter.Workflow = project.ID, c.Query.Get("workflow")
			if c.Query.Has("workflow") && filter.Workflow == "" {
				return nil
			}
		}
		var err error
		list, err = tx.ListAttempts(c.Ctx(), filter)
		return err
	})
	return api.AttemptCollection{Attempts: document.List(visible(c, list), document.Attempt)}, err
}

func getAttempt(c *rest.Call) (any, error) {
	s, err := find.ReadAttempt(c)
	if err != nil {
		return nil, err
	}
	return document.Attempt(s), nil
}

// getAttemptRetries lists all attempts of the session, oldest first.
func getAttemptRetries(c *rest.Call) (any, error) {
	var list []*trowel.AttemptSummary
	err := c.View(func(tx trowel.Tx) error {
		s, err := find.Attempt(c, tx)
		if err != nil {
			return err
		}
		list, err = tx.ListAttempts(c.Ctx(), trowel.AttemptFilter{Session: s.Session.ID, Limit: -1})
		return err
	})
	slices.SortFunc(list, func(a, b *trowel.AttemptSummary) int { return a.Attempt.Index - b.Attempt.Index })
	return api.AttemptCollection{Attempts: document.List(list, document.Attempt)}, err
}

// getTasks lists the tasks of an attempt. Those of an ended attempt are in the archive.
func getTasks(c *rest.Call) (any, error) {
	tasks, err := find.ReadTasks(c)
	return api.TaskCollection{Tasks: document.List(tasks, document.Task)}, err
}

// Launcher begins attempts.
type Launcher interface {
	Start(ctx context.Context, r launch.Request) (*trowel.AttemptSummary, error)
}

// Killer stops attempts.
type Killer interface {
	// KillBy requests that all tasks of an attempt stop, and stores the record with that. It returns an ErrConflict if
	// the attempt is done or has not begun.
	KillBy(ctx context.Context, id trowel.AttemptID, actor string, record *trowel.AuditRecord) error
}

// attempts are the handlers that begin and stop attempts.
type attempts struct {
	launcher Launcher
	killer   Killer
}

// start starts an attempt. If the attempt exists already, the answer is 409 with that attempt (server 2.6.7).
func (h *attempts) start(c *rest.Call) (any, error) {
	var request api.AttemptRequest
	if err := c.Decode(&request); err != nil {
		return nil, err
	}
	if err := mayRun(c, trowel.WorkflowID(request.WorkflowID)); err != nil {
		return nil, err
	}
	start := launch.Request{
		WorkflowID: trowel.WorkflowID(request.WorkflowID), SessionTime: request.SessionTime.Time, Params: request.Params,
		Cause: launch.CauseStart, Actor: c.Caller.Name,
	}
	if request.RetryAttemptName != nil {
		start.RetryName, start.Cause = *request.RetryAttemptName, launch.CauseRetry
		if err := launch.CheckName(start.RetryName, "attempt request"); err != nil {
			return nil, err
		}
	}
	if request.Resume != nil {
		start.Resume = &launch.Resume{
			Mode: request.Resume.Mode, Attempt: trowel.AttemptID(request.Resume.AttemptID), From: request.Resume.From,
		}
	}
	by := c.NewRecord()
	by.Action = "attempt." + start.Cause
	start.Record = &by
	started, err := h.launcher.Start(c.Ctx(), start)
	if taken, ok := errors.AsType[*launch.TakenError](err); ok {
		return nil, rest.ErrorDocument(http.StatusConflict, document.Attempt(taken.Existing))
	}
	if err != nil {
		return nil, err
	}
	return document.Attempt(started), nil
}

// mayRun returns an error if the caller may not start attempts of a workflow.
func mayRun(c *rest.Call, id trowel.WorkflowID) error {
	if c.Caller.Project == 0 {
		return c.Authorize(0)
	}
	return c.View(func(tx trowel.Tx) error {
		d, err := tx.FindDefinition(c.Ctx(), id)
		if err == nil {
			err = c.CheckVisible(d.Project.ID)
		}
		if err != nil {
			return rest.OrNoResource(err, "workflow id=%d", id)
		}
		return c.Authorize(d.Project.ID)
	})
}

// kill stops an attempt, and answers with the attempt as it was before.
func (h *attempts) kill(c *rest.Call) (any, error) {
	s, err := find.ReadAttempt(c)
	if err != nil {
		return nil, err
	}
	by := c.NewRecord()
	by.Action = "attempt.kill"
	if err := h.killer.KillBy(c.Ctx(), s.Attempt.ID, c.Caller.Name, &by); err != nil {
		if errors.Is(err, trowel.ErrNotFound) || errors.Is(err, trowel.ErrConflict) {
			return nil, rest.Errorf(http.StatusConflict, trowel.TextAttemptEnded).Because(err)
		}
		return nil, err
	}
	return document.Attempt(s), nil
}

// getUserInfo answers who pushed the revision of an attempt (server 2.6.10).
func getUserInfo(c *rest.Call) (any, error) {
	if !c.Caller.Admin {
		return nil, rest.BareError(http.StatusForbidden)
	}
	var setting *trowel.AttemptContext
	err := c.View(func(tx trowel.Tx) error {
		s, err := find.Attempt(c, tx)
		if err != nil {
			return err
		}
		setting, err = tx.FindAttemptContext(c.Ctx(), s.Attempt.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return document.Object(setting.Revision.UserInfo), nil
}
