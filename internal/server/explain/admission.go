package explain

import (
	"errors"
	"slices"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/reason"
)

// readAdmission reads why the attempt has not begun. It reads nothing if the attempt has.
func (r *reader) readAdmission() error {
	attempt := &r.summary.Attempt
	delayed, err := r.tx.FindQueuedBackfillAttempt(r.Ctx(), attempt.ID)
	switch {
	case errors.Is(err, trowel.ErrNotFound):
		delayed = nil
	case err != nil:
		return err
	}
	if attempt.WaitReason == "" && delayed == nil {
		return nil
	}
	if err := r.readControl(); err != nil {
		return err
	}
	found := &reason.Admission{}
	r.facts.Admission = found
	project, workflow := r.facts.Workflow.ProjectID, r.facts.Workflow.Name
	if delayed != nil {
		found.Delayed, found.NextRunAt = true, delayed.NextRunAt
		if delayed.DependsOn != 0 {
			found.Before, err = r.tx.FindSession(r.Ctx(), delayed.DependsOn)
			if err != nil && !errors.Is(err, trowel.ErrNotFound) {
				return err
			}
		}
		return nil
	}
	found.Pause, err = r.tx.FindPause(r.Ctx(), project, workflow)
	if err != nil && !errors.Is(err, trowel.ErrNotFound) {
		return err
	}
	if found.Active, err = r.tx.ListAdmitted(r.Ctx(), project, workflow, maxActive); err != nil {
		return err
	}
	if found.ActiveCount, err = r.tx.CountAdmitted(r.Ctx(), project, workflow); err != nil {
		return err
	}
	waiting, err := r.tx.ListWaiting(r.Ctx(), project, workflow, maxBusy)
	found.Position = 1 + slices.Index(waiting, attempt.ID)
	return err
}
