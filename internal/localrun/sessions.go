package localrun

import (
	"context"
	"errors"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/flush"
	"github.com/trowel-project/trowel/internal/launch"
	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/schedule"
)

// sessions starts other workflows of the same project for require> (operators 2.3).
type sessions struct {
	project *project
	flusher *flush.Flusher
}

// StartSession implements operator.Sessions.
func (s *sessions) StartSession(ctx context.Context, r operator.StartRequest) (operator.StartedSession, error) {
	p := s.project
	if (r.ProjectName != "" && r.ProjectName != p.row.Name) || (r.ProjectName == "" && r.ProjectID != p.row.ID) {
		return operator.StartedSession{}, trowel.ErrNotFound
	}
	w := p.files.Find(r.Workflow)
	if w == nil {
		return operator.StartedSession{}, trowel.ErrNotFound
	}
	tasks, err := w.Compile()
	if err == nil {
		err = dig.CheckExports(tasks)
	}
	if err != nil {
		return operator.StartedSession{}, err
	}
	plan, err := schedule.ParseOptional(w.Schedule, w.Zone)
	if err != nil {
		return operator.StartedSession{}, err
	}
	row, err := s.find(ctx, w.Name)
	if err != nil {
		return operator.StartedSession{}, err
	}
	params := launch.SessionParams(r.Params, plan, r.SessionTime.In(w.Zone.Location))
	started, err := s.flusher.Start(ctx, p.attemptOf(w, *row, r.SessionTime, params, tasks, "require", r.AttemptName))
	if errors.Is(err, trowel.ErrConflict) {
		return s.existing(ctx, r)
	}
	if errors.Is(err, trowel.ErrLimit) {
		return operator.StartedSession{}, &operator.Failure{Message: err.Error(), Err: err} // operators 2.3
	}
	if err != nil {
		return operator.StartedSession{}, err
	}
	p.tellSession(ctx, w, r.SessionTime)
	a := started.Attempt
	return operator.StartedSession{New: true, SessionID: a.SessionID, AttemptID: a.ID, Flags: a.Flags}, nil
}

func (s *sessions) find(ctx context.Context, workflow string) (row *trowel.Workflow, err error) {
	err = s.project.store.View(ctx, func(tx trowel.Tx) error {
		row, _, err = tx.FindWorkflow(ctx, s.project.row.ID, workflow)
		return err
	})
	return row, err
}

// existing finds the attempt that is in the way (language A3).
func (s *sessions) existing(ctx context.Context, r operator.StartRequest) (found operator.StartedSession, err error) {
	err = s.project.store.View(ctx, func(tx trowel.Tx) error {
		a, err := tx.FindLatestAttempt(ctx, s.project.row.ID, r.Workflow, r.SessionTime, r.AttemptName)
		if err != nil {
			return err
		}
		found = operator.StartedSession{SessionID: a.SessionID, AttemptID: a.ID, Flags: a.Flags}
		return nil
	})
	return found, err
}
