package v1

import (
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/scheduler"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/events"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/telemetry"
)

// schedules are the handlers that change schedules.
type schedules struct {
	changed     func(one *trowel.Schedule)
	events      *events.Feed
	maxAttempts int // largest number of running attempts, for backfills
}

func getSchedules(c *rest.Call) (any, error) {
	after, err := c.IntParam("last_id", 32, 0)
	if err != nil {
		return nil, err
	}
	shapes := api.List[api.Schedule]{}
	err = c.View(func(tx trowel.Tx) error {
		list, err := tx.ListSchedules(c.Ctx(), trowel.ScheduleFilter{
			Project: c.Caller.Project, After: trowel.ScheduleID(after), Limit: rest.DefaultPage,
		})
		for _, s := range list {
			if c.Authorize(s.Schedule.ProjectID) == nil {
				shapes = append(shapes, scheduleOf(s))
			}
		}
		return err
	})
	return api.ScheduleCollection{Schedules: shapes}, err
}

func getProjectSchedules(c *rest.Call) (any, error) {
	after, err := c.IntParam("last_id", 32, 0)
	if err != nil {
		return nil, err
	}
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.ScheduleCollection, error) {
		filter := trowel.ScheduleFilter{Project: p.ID, Workflow: c.Query.Get("workflow"), After: trowel.ScheduleID(after), Limit: rest.DefaultPage}
		if c.Query.Has("workflow") && filter.Workflow == "" {
			return api.ScheduleCollection{}, nil
		}
		list, err := tx.ListSchedules(c.Ctx(), filter)
		return api.ScheduleCollection{Schedules: document.List(list, scheduleOf)}, err
	})
}

// findSchedule returns the schedule of the path.
func findSchedule(c *rest.Call) (s *trowel.ScheduledWorkflow, err error) {
	err = c.View(func(tx trowel.Tx) error {
		s, err = find.Schedule(c, tx)
		return err
	})
	return s, err
}

func getSchedule(c *rest.Call) (any, error) {
	s, err := findSchedule(c)
	if err != nil {
		return nil, err
	}
	return scheduleOf(s), nil
}

func (h *schedules) skip(c *rest.Call) (any, error) {
	var request api.ScheduleSkipRequest
	if err := c.Decode(&request); err != nil {
		return nil, err
	}
	skip := scheduler.SkipRequest{
		NextTime: momentOf(request.NextTime), Count: request.Count, DryRun: request.DryRun, Now: c.Now, Actor: c.Caller.Name,
		By: c.NewRecord(),
	}
	if request.FromTime != nil {
		skip.From = request.FromTime.Time
	}
	if request.NextRunTime != nil {
		skip.RunAt = request.NextRunTime.Time
	}
	return h.change(c, func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Skip(c.Ctx(), c.Store(), id, skip)
		if err == nil && !skip.DryRun {
			c.Log().Info("schedule moved", scheduleFields(c, w)...)
		}
		return w, err
	})
}

func (h *schedules) enable(c *rest.Call) (any, error) {
	var request api.ScheduleEnableRequest
	if err := c.DecodeOptional(&request); err != nil {
		return nil, err
	}
	return h.change(c, func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Enable(c.Ctx(), c.Store(), id, scheduler.EnableRequest{
			Skip: request.SkipSchedule, NextTime: momentOf(request.NextTime), Now: c.Now, Actor: c.Caller.Name, By: c.NewRecord(),
		})
		if err == nil {
			c.Log().Info("schedule enabled", scheduleFields(c, w)...)
		}
		return w, err
	})
}

func (h *schedules) disable(c *rest.Call) (any, error) {
	return h.change(c, func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error) {
		w, err := scheduler.Disable(c.Ctx(), c.Store(), id, c.Now, c.NewRecord())
		if err == nil {
			c.Log().Info("schedule disabled", scheduleFields(c, w)...)
		}
		return w, err
	})
}

// change changes the schedule of the path, and publishes that.
func (h *schedules) change(c *rest.Call, change func(id trowel.ScheduleID) (*trowel.ScheduledWorkflow, error)) (any, error) {
	found, err := findSchedule(c)
	if err != nil {
		return nil, err
	}
	changed, err := change(found.Schedule.ID)
	if err != nil {
		return nil, err
	}
	h.changed(&changed.Schedule)
	h.events.Publish(events.Event{ProjectID: changed.Schedule.ProjectID, Workflow: changed.Schedule.Workflow, Schedule: changed.Schedule.ID})
	return summaryOf(changed), nil
}

func momentOf(t *api.LocalOrInstant) *scheduler.Moment {
	if t == nil {
		return nil
	}
	return &scheduler.Moment{Time: t.Time, Local: t.Local}
}

func (h *schedules) backfill(c *rest.Call) (any, error) {
	var request api.ScheduleBackfillRequest
	if err := c.Decode(&request); err != nil {
		return nil, err
	}
	found, err := findSchedule(c)
	if err != nil {
		return nil, err
	}
	filled, err := scheduler.Backfill(c.Ctx(), c.Store(), found.Schedule.ID, scheduler.BackfillRequest{
		From: request.FromTime.Time, Name: request.AttemptName, Count: request.Count, DryRun: request.DryRun,
		Limit: h.maxAttempts, Now: c.Now, Actor: c.Caller.Name, By: c.NewRecord(),
	})
	if err != nil {
		return nil, err
	}
	h.changed(nil)
	d := &filled.Schedule.Definition
	return api.ScheduleAttemptCollection{
		ID: api.ID(filled.Schedule.Schedule.ID), Project: document.IDName(d.Project),
		Workflow: api.IDName{ID: api.ID(d.Workflow.ID), Name: d.Workflow.Name}, Attempts: document.List(filled.Attempts, document.Attempt),
	}, nil
}

// scheduleFields are the log fields of a changed schedule.
func scheduleFields(c *rest.Call, w *trowel.ScheduledWorkflow) []any {
	return c.LogFields(w.Definition.Project.Name, slog.String(telemetry.KeyWorkflow, w.Schedule.Workflow),
		slog.Time("next_session_time", w.Schedule.NextSessionAt), slog.Time("next_run_time", w.Schedule.NextRunAt))
}
