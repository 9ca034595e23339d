package server

import (
	"context"
	"errors"
	"net/http"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/launch"
)

func (p *pages) getAttempts(c *call) (any, error) {
	before, limit, err := readPage(c, p.attempts)
	if err != nil {
		return nil, err
	}
	filter := trowel.AttemptFilter{
		Project: c.caller.Project, LastOnly: !c.flagParam("include_retried"), Before: trowel.AttemptID(before), Limit: limit,
		MaxBytes: maxPageBytes,
	}
	var list []*trowel.AttemptSummary
	err = c.view(func(tx trowel.Tx) error {
		if c.query.Has("project") {
			name := c.query.Get("project")
			project, err := findProjectNamed(c, tx, name)
			if err != nil {
				return OrNoResource(err, "project name=%s", name)
			}
			filter.Project, filter.Workflow = project.ID, c.query.Get("workflow")
			if c.query.Has("workflow") && filter.Workflow == "" {
				return nil
			}
		}
		var err error
		list, err = tx.ListAttempts(c.ctx(), filter)
		return err
	})
	return api.AttemptCollection{Attempts: listOf(visible(c, list), attemptOf)}, err
}

func getAttempt(c *call) (any, error) {
	s, err := ownAttempt(c)
	if err != nil {
		return nil, err
	}
	return attemptOf(s), nil
}

// getAttemptRetries lists all attempts of the session, the first one first.
func getAttemptRetries(c *call) (any, error) {
	var list []*trowel.AttemptSummary
	err := c.view(func(tx trowel.Tx) error {
		s, err := findAttempt(c, tx)
		if err != nil {
			return err
		}
		list, err = tx.ListAttempts(c.ctx(), trowel.AttemptFilter{Session: s.Session.ID, Limit: -1})
		return err
	})
	slices.SortFunc(list, func(a, b *trowel.AttemptSummary) int { return a.Attempt.Index - b.Attempt.Index })
	return api.AttemptCollection{Attempts: listOf(list, attemptOf)}, err
}

// getTasks lists the tasks of an attempt, which are in the archive when it has ended.
func getTasks(c *call) (any, error) {
	tasks, err := attemptTasks(c)
	return api.TaskCollection{Tasks: listOf(tasks, taskOf)}, err
}

// Launcher begins attempts.
type Launcher interface {
	Start(ctx context.Context, r launch.Request) (*trowel.AttemptSummary, error)
}

// Killer stops attempts.
type Killer interface {
	// KillBy asks all tasks of an attempt to stop, and stores the record with it. One that is done, or
	// waits for its turn, is an ErrConflict.
	KillBy(ctx context.Context, id trowel.AttemptID, actor string, record *trowel.Record) error
}

// attempts are the handlers that begin and stop attempts.
type attempts struct {
	launcher Launcher
	killer   Killer
}

// start starts an attempt. One that is there already is answered with 409 and the attempt
// itself (server 2.6.7).
func (h *attempts) start(c *call) (any, error) {
	var request api.AttemptRequest
	if err := c.decode(&request); err != nil {
		return nil, err
	}
	if err := mayRun(c, trowel.WorkflowID(request.WorkflowID)); err != nil {
		return nil, err
	}
	start := launch.Request{
		WorkflowID: trowel.WorkflowID(request.WorkflowID), SessionTime: request.SessionTime.Time, Params: request.Params,
		Cause: launch.CauseStart, Actor: c.caller.Name,
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
	by := c.by()
	by.Action = "attempt." + start.Cause
	start.Record = &by
	started, err := h.launcher.Start(c.ctx(), start)
	if taken, ok := errors.AsType[*launch.TakenError](err); ok {
		return nil, ErrorDocument(http.StatusConflict, attemptOf(taken.Existing))
	}
	if err != nil {
		return nil, err
	}
	return attemptOf(started), nil
}

// mayRun refuses a caller who may not start attempts of a workflow.
func mayRun(c *call, id trowel.WorkflowID) error {
	if c.caller.Project == 0 {
		return c.may(0)
	}
	return c.view(func(tx trowel.Tx) error {
		d, err := tx.FindDefinition(c.ctx(), id)
		if err == nil {
			err = c.checkVisible(d.Project.ID)
		}
		if err != nil {
			return OrNoResource(err, "workflow id=%d", id)
		}
		return c.may(d.Project.ID)
	})
}

// kill answers with the attempt as it was before.
func (h *attempts) kill(c *call) (any, error) {
	s, err := ownAttempt(c)
	if err != nil {
		return nil, err
	}
	by := c.by()
	by.Action = "attempt.kill"
	if err := h.killer.KillBy(c.ctx(), s.Attempt.ID, c.caller.Name, &by); err != nil {
		if errors.Is(err, trowel.ErrNotFound) || errors.Is(err, trowel.ErrConflict) {
			return nil, Errorf(http.StatusConflict, "Session attempt already killed or finished").Because(err)
		}
		return nil, err
	}
	return attemptOf(s), nil
}

// getUserInfo tells who pushed the revision of an attempt (server 2.6.10).
func getUserInfo(c *call) (any, error) {
	if !c.caller.Admin {
		return nil, BareError(http.StatusForbidden)
	}
	var setting *trowel.Setting
	err := c.view(func(tx trowel.Tx) error {
		s, err := findAttempt(c, tx)
		if err != nil {
			return err
		}
		setting, err = tx.FindSetting(c.ctx(), s.Attempt.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return full(setting.Revision.UserInfo), nil
}
