package server

import (
	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/scheduler"
)

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
func (c *call) findSchedule() (*trowel.ScheduledWorkflow, error) {
	id := trowel.ScheduleID(c.number())
	var s *trowel.ScheduledWorkflow
	err := c.view(func(tx trowel.Tx) (err error) {
		if s, err = tx.FindSchedule(c.ctx(), id); err == nil {
			err = hidden(c, s.Schedule.ProjectID)
		}
		return err
	})
	if err != nil {
		return nil, OrNoResource(err, "schedule id=%d", id)
	}
	return s, c.may(s.Schedule.ProjectID)
}

func getSchedule(c *call) (any, error) {
	s, err := c.findSchedule()
	if err != nil {
		return nil, err
	}
	return scheduleOf(s), nil
}

func skipSchedule(c *call) (any, error) {
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
	return c.changeSchedule(func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Skip(c.ctx(), c.opts.Store, id, skip)
		if err == nil && !skip.DryRun {
			c.opts.Log.Info("schedule moved", c.changedSchedule(w)...)
		}
		return w, err
	})
}

func enableSchedule(c *call) (any, error) {
	var request api.ScheduleEnableRequest
	if err := c.decodeOptional(&request); err != nil {
		return nil, err
	}
	return c.changeSchedule(func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Enable(c.ctx(), c.opts.Store, id, scheduler.EnableRequest{
			Skip: request.SkipSchedule, NextTime: momentOf(request.NextTime), Now: c.now, Actor: c.caller.Name, By: c.by(),
		})
		if err == nil {
			c.opts.Log.Info("schedule enabled", c.changedSchedule(w)...)
		}
		return w, err
	})
}

func disableSchedule(c *call) (any, error) {
	return c.changeSchedule(func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Disable(c.ctx(), c.opts.Store, id, c.now, c.by())
		if err == nil {
			c.opts.Log.Info("schedule disabled", c.changedSchedule(w)...)
		}
		return w, err
	})
}

// changeSchedule changes the schedule of the path and tells of it.
func (c *call) changeSchedule(change func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error)) (any, error) {
	found, err := c.findSchedule()
	if err != nil {
		return nil, err
	}
	changed, err := change(found.Schedule.ID)
	if err != nil {
		return nil, err
	}
	c.opts.SchedulesChanged(&changed.Schedule)
	c.opts.Events.Publish(Event{ProjectID: changed.Schedule.ProjectID, Workflow: changed.Schedule.Workflow, Schedule: changed.Schedule.ID})
	return summaryOf(changed), nil
}

func momentOf(t *api.LocalOrInstant) *scheduler.Moment {
	if t == nil {
		return nil
	}
	return &scheduler.Moment{Time: t.Time, Local: t.Local}
}

func backfillSchedule(c *call) (any, error) {
	var request api.ScheduleBackfillRequest
	if err := c.decode(&request); err != nil {
		return nil, err
	}
	found, err := c.findSchedule()
	if err != nil {
		return nil, err
	}
	filled, err := scheduler.Backfill(c.ctx(), c.opts.Store, found.Schedule.ID, scheduler.BackfillRequest{
		From: request.FromTime.Time, Name: request.AttemptName, Count: request.Count, DryRun: request.DryRun,
		Limit: c.opts.MaxAttempts, Now: c.now, Actor: c.caller.Name, By: c.by(),
	})
	if err != nil {
		return nil, err
	}
	c.opts.SchedulesChanged(nil)
	d := &filled.Schedule.Definition
	return api.ScheduleAttemptCollection{
		ID: api.ID(filled.Schedule.Schedule.ID), Project: idName(d.Project),
		Workflow: api.IDName{ID: api.ID(d.Workflow.ID), Name: d.Workflow.Name}, Attempts: listOf(filled.Attempts, attemptOf),
	}, nil
}
