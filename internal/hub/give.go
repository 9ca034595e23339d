package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/secret"
)

// notRunning is the error of an agent that asks for something for a try that it does not run.
func notRunning(what string) error {
	return &trowel.Error{
		Kind: trowel.ErrConflict, Message: what + " does not run on this agent: its lease has ended and others may run it by now, or it never had it",
	}
}

// running returns a try if the agent runs it now.
func (h *Hub) running(ctx context.Context, id string, token trowel.TokenID, t api.AgentTry) (trowel.LiveTask, error) {
	running, err := h.own(ctx, id, token)
	if err != nil {
		return trowel.LiveTask{}, err
	}
	task, runs := running[tryOf(t)]
	if !runs {
		return trowel.LiveTask{}, notRunning(fmt.Sprintf("try %d of task %d", t.Try, t.TaskID))
	}
	return task, nil
}

// setting returns the project, revision, workflow and session of an attempt.
func (h *Hub) setting(ctx context.Context, attempt trowel.AttemptID) (s *trowel.AttemptContext, err error) {
	err = h.opts.Store.View(ctx, func(tx trowel.Tx) error {
		s, err = tx.FindAttemptContext(ctx, attempt)
		return err
	})
	return s, err
}

// Secret finds a secret of its project for a try that runs on the agent.
func (h *Hub) Secret(ctx context.Context, id string, token trowel.TokenID, r api.AgentSecretRequest) (api.AgentSecret, error) {
	task, err := h.running(ctx, id, token, r.AgentTry)
	if err == nil && r.AttemptID != 0 && trowel.AttemptID(r.AttemptID) != task.AttemptID {
		err = notRunning(fmt.Sprintf("try %d of task %d of attempt %d", r.Try, r.TaskID, r.AttemptID))
	}
	if err != nil {
		return api.AgentSecret{}, err
	}
	if err := secret.CheckKey(r.Key); err != nil {
		return api.AgentSecret{}, invalid("%s", err)
	}
	s, err := h.setting(ctx, task.AttemptID)
	if err != nil {
		return api.AgentSecret{}, err
	}
	value, has, err := h.opts.Secrets(s.Project.ID).Find(ctx, r.Key)
	if err != nil || !has {
		return api.AgentSecret{}, err
	}
	return api.AgentSecret{Found: true, Value: value.Reveal()}, nil
}

// Archive returns the archive with the files of an attempt, if the agent runs a try of it.
func (h *Hub) Archive(ctx context.Context, id string, token trowel.TokenID, attempt trowel.AttemptID) (trowel.Archive, error) {
	if err := h.runsAttempt(ctx, id, token, attempt); err != nil {
		return trowel.Archive{}, err
	}
	s, err := h.setting(ctx, attempt)
	if err != nil {
		return trowel.Archive{}, err
	}
	return s.Revision.Archive, nil
}

// runsAttempt returns an error if the agent runs no try of an attempt.
func (h *Hub) runsAttempt(ctx context.Context, id string, token trowel.TokenID, attempt trowel.AttemptID) error {
	running, err := h.own(ctx, id, token)
	if err != nil {
		return err
	}
	for _, task := range running {
		if task.AttemptID == attempt {
			return nil
		}
	}
	return notRunning(fmt.Sprintf("attempt %d", attempt))
}

// Session starts an attempt of a workflow for a try that runs on the agent (operators 2.3).
func (h *Hub) Session(ctx context.Context, id string, token trowel.TokenID, r *api.AgentSessionRequest) (api.AgentSession, error) {
	if err := h.runsAttempt(ctx, id, token, trowel.AttemptID(r.Requirer)); err != nil {
		return api.AgentSession{}, err
	}
	started, err := h.opts.Sessions.StartSession(ctx, operator.StartRequest{
		ProjectID: trowel.ProjectID(r.ProjectID), ProjectName: r.ProjectName, Workflow: r.Workflow,
		SessionTime: time.UnixMicro(r.SessionTime), AttemptName: r.AttemptName, Params: r.Params, Requirer: trowel.AttemptID(r.Requirer),
	})
	if failure, ok := errors.AsType[*operator.Failure](err); ok {
		return api.AgentSession{Failure: failure.Message}, nil
	}
	if errors.Is(err, trowel.ErrNotFound) {
		return api.AgentSession{Missing: true}, nil
	}
	if err != nil {
		return api.AgentSession{}, err
	}
	return api.AgentSession{
		New: started.New, SessionID: int64(started.SessionID), AttemptID: int64(started.AttemptID), Flags: int(started.Flags),
	}, nil
}

// SetParams writes values to the param server (operators 6.1), if the agent runs a try.
func (h *Hub) SetParams(ctx context.Context, id string, token trowel.TokenID, r api.AgentParams) error {
	if err := h.busy(ctx, id, token); err != nil {
		return err
	}
	return h.opts.Params.SetParams(ctx, r.Values)
}

// FindParams reads values from the param server, if the agent runs a try.
func (h *Hub) FindParams(ctx context.Context, id string, token trowel.TokenID, r api.AgentParamKeys) (api.AgentParams, error) {
	if err := h.busy(ctx, id, token); err != nil {
		return api.AgentParams{}, err
	}
	values, err := h.opts.Params.FindParams(ctx, r.Keys)
	return api.AgentParams{Values: values}, err
}

// busy returns an error if the agent runs nothing.
func (h *Hub) busy(ctx context.Context, id string, token trowel.TokenID) error {
	running, err := h.own(ctx, id, token)
	if err == nil && len(running) == 0 {
		err = notRunning("the task that asks for parameters")
	}
	return err
}
