package daemon

import (
	"context"
	"errors"
	"fmt"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/store"
)

// serverSessions starts attempts for require> on a server (operators 2.3).
type serverSessions struct {
	store    trowel.Store
	launcher *launch.Launcher
	own      bool // only workflows of the project of the attempt that asks
}

// textOtherProject is the error of require> where it may not leave its project. It does not reveal whether the other project exists.
const textOtherProject = "require> may not start workflows of other projects: executor.require_other_projects of the server is false"

// StartSession implements operator.Sessions.
func (s *serverSessions) StartSession(ctx context.Context, r operator.StartRequest) (operator.StartedSession, error) {
	id, err := s.find(ctx, r)
	if err != nil {
		return operator.StartedSession{}, err
	}
	var begun *trowel.AttemptSummary
	err = store.Retry(ctx, func() (err error) { // an unavailable database has begun nothing
		begun, err = s.launcher.Start(ctx, launch.Request{
			WorkflowID: id, SessionTime: r.SessionTime, RetryName: r.AttemptName, Params: r.Params, Cause: launch.CauseRequire,
			Actor: fmt.Sprintf("attempt %d", r.Requirer),
		})
		return err
	})
	if taken, ok := errors.AsType[*launch.TakenError](err); ok {
		return startedSession(taken.Existing, false), nil
	}
	if errors.Is(err, trowel.ErrLimit) {
		return operator.StartedSession{}, &operator.Failure{Message: err.Error(), Err: err} // operators 2.3
	}
	if err != nil {
		return operator.StartedSession{}, err
	}
	return startedSession(begun, true), nil
}

func startedSession(a *trowel.AttemptSummary, isNew bool) operator.StartedSession {
	return operator.StartedSession{New: isNew, SessionID: a.Session.ID, AttemptID: a.Attempt.ID, Flags: a.Attempt.Flags}
}

// find returns the workflow in the newest revision of its project.
func (s *serverSessions) find(ctx context.Context, r operator.StartRequest) (id trowel.WorkflowID, err error) {
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		project := r.ProjectID
		if r.ProjectName != "" {
			p, err := tx.FindProject(ctx, r.ProjectName)
			if errors.Is(err, trowel.ErrNotFound) && s.own {
				return &operator.Failure{Message: textOtherProject}
			}
			if err != nil {
				return err
			}
			project = p.ID
		}
		if s.own {
			asks, err := tx.FindAttempt(ctx, r.Requirer)
			if err != nil {
				return err
			}
			if asks.ProjectID != project {
				return &operator.Failure{Message: textOtherProject}
			}
		}
		w, _, err := tx.FindWorkflow(ctx, project, r.Workflow)
		if err == nil {
			id = w.ID
		}
		return err
	})
	return id, err
}
