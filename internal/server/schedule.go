package server

import (
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// schedules are the handlers that change schedules.
type schedules struct {
	changed     func(one *trowel.Schedule)
	events      *Events
	maxAttempts int // running ones, for backfills
}

func getSchedules(c *call) (any, error) {
	after, err := c.intParam("last_id", 32, 0)
	if err != nil {
		return nil, err
	}
	shapes := api.List[api.Schedule]{}
	err = c.view(func(tx trowel.Tx) error {
		list, err := tx.ListSchedules(c.ctx(), trowel.ScheduleFilter{
			Project: c.caller.Project, After: trowel.ScheduleID(after), Limit: defaultPage,
		})
		for _, s := range list {
			if c.may(s.Schedule.ProjectID) == nil {
				shapes = append(shapes, scheduleOf(s))
			}
		}
		return err
	})
	return api.ScheduleCollection{Schedules: shapes}, err
}

func getProjectSchedules(c *call) (any, error) {
	after, err := c.intParam("last_id", 32, 0)
	if err != nil {
		return nil, err
	}
	return inProject(c, func(tx trowel.Tx, p *trowel.Project) (api.ScheduleCollection, error) {
		filter := trowel.ScheduleFilter{Project: p.ID, Workflow: c.query.Get("workflow"), After: trowel.ScheduleID(after), Limit: defaultPage}
		if c.query.Has("workflow") && filter.Workflow == "" {
			return api.ScheduleCollection{}, nil
		}
		list, err := tx.ListSchedules(c.ctx(), filter)
		return api.ScheduleCollection{Schedules: listOf(list, scheduleOf)}, err
	})
}

// findSchedule returns the schedule of the path.
func findSchedule(c *call) (*trowel.ScheduledWorkflow, error) {
	id := trowel.ScheduleID(c.number(0))
	var s *trowel.ScheduledWorkflow
	err := c.view(func(tx trowel.Tx) (err error) {
		if s, err = tx.FindSchedule(c.ctx(), id); err == nil {
			err = c.checkVisible(s.Schedule.ProjectID)
		}
		return err
	})
	if err != nil {
		return nil, OrNoResource(err, "schedule id=%d", id)
	}
	return s, c.may(s.Schedule.ProjectID)
}

func getSchedule(c *call) (any, error) {
	s, err := findSchedule(c)
	if err != nil {
		return nil, err
	}
	return scheduleOf(s), nil
}

func (h *schedules) skip(c *call) (any, error) {
	var request api.ScheduleSkipRequest
	if err := c.decode(&request); err != nil {
		return nil, err
	}
	skip := scheduler.SkipRequest{
		NextTime: momentOf(request.NextTime), Count: request.Count, DryRun: request.DryRun, Now: c.now, Actor: c.caller.Name,
		By: c.by(),
	}
	if request.FromTime != nil {
		skip.From = request.FromTime.Time
	}
	if request.NextRunTime != nil {
		skip.RunAt = request.NextRunTime.Time
	}
	return h.change(c, func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Skip(c.ctx(), c.store(), id, skip)
		if err == nil && !skip.DryRun {
			c.log().Info("schedule moved", logSchedule(c, w)...)
		}
		return w, err
	})
}

func (h *schedules) enable(c *call) (any, error) {
	var request api.ScheduleEnableRequest
	if err := c.decodeOptional(&request); err != nil {
		return nil, err
	}
	return h.change(c, func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Enable(c.ctx(), c.store(), id, scheduler.EnableRequest{
			Skip: request.SkipSchedule, NextTime: momentOf(request.NextTime), Now: c.now, Actor: c.caller.Name, By: c.by(),
		})
		if err == nil {
			c.log().Info("schedule enabled", logSchedule(c, w)...)
		}
		return w, err
	})
}

func (h *schedules) disable(c *call) (any, error) {
	return h.change(c, func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Disable(c.ctx(), c.store(), id, c.now, c.by())
		if err == nil {
			c.log().Info("schedule disabled", logSchedule(c, w)...)
		}
		return w, err
	})
}

// change changes the schedule of the path and tells of it.
func (h *schedules) change(c *call, change func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error)) (any, error) {
	found, err := findSchedule(c)
	if err != nil {
		return nil, err
	}
	changed, err := change(found.Schedule.ID)
	if err != nil {
		return nil, err
	}
	h.changed(&changed.Schedule)
	h.events.Publish(Event{ProjectID: changed.Schedule.ProjectID, Workflow: changed.Schedule.Workflow, Schedule: changed.Schedule.ID})
	return summaryOf(changed), nil
}

func momentOf(t *api.LocalOrInstant) *scheduler.Moment {
	if t == nil {
		return nil
	}
	return &scheduler.Moment{Time: t.Time, Local: t.Local}
}

func (h *schedules) backfill(c *call) (any, error) {
	var request api.ScheduleBackfillRequest
	if err := c.decode(&request); err != nil {
		return nil, err
	}
	found, err := findSchedule(c)
	if err != nil {
		return nil, err
	}
	filled, err := scheduler.Backfill(c.ctx(), c.store(), found.Schedule.ID, scheduler.BackfillRequest{
		From: request.FromTime.Time, Name: request.AttemptName, Count: request.Count, DryRun: request.DryRun,
		Limit: h.maxAttempts, Now: c.now, Actor: c.caller.Name, By: c.by(),
	})
	if err != nil {
		return nil, err
	}
	h.changed(nil)
	d := &filled.Schedule.Definition
	return api.ScheduleAttemptCollection{
		ID: api.ID(filled.Schedule.Schedule.ID), Project: idName(d.Project),
		Workflow: api.IDName{ID: api.ID(d.Workflow.ID), Name: d.Workflow.Name}, Attempts: listOf(filled.Attempts, attemptOf),
	}, nil
}

// changedSchedule is changed for a schedule.
func logSchedule(c *call, w *trowel.ScheduledWorkflow) []any {
	return c.changed(w.Definition.Project.Name, slog.String(telemetry.KeyWorkflow, w.Schedule.Workflow),
		slog.Time("next_session_time", w.Schedule.NextSessionAt), slog.Time("next_run_time", w.Schedule.NextRunAt))
}
