package client

import (
	"context"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
)

// ListSchedules returns a page of the schedules of all projects with ids above last.
func (c *Client) ListSchedules(ctx context.Context, last api.ID) (*api.ScheduleCollection, error) {
	return get[api.ScheduleCollection](ctx, c, "/api/schedules", query{"last_id": idText(last)})
}

// ListProjectSchedules returns a page of the schedules of a project with ids above last.
func (c *Client) ListProjectSchedules(ctx context.Context, project, last api.ID) (*api.ScheduleCollection, error) {
	return get[api.ScheduleCollection](ctx, c, "/api/projects/"+project.String()+"/schedules", query{"last_id": idText(last)})
}

// FindSchedule returns the schedule of a workflow, or a 404 that Digdag's client makes up.
func (c *Client) FindSchedule(ctx context.Context, project api.ID, workflow string) (*api.Schedule, error) {
	found, err := get[api.ScheduleCollection](ctx, c, "/api/projects/"+project.String()+"/schedules", query{"workflow": workflow})
	if err != nil {
		return nil, err
	}
	if len(found.Schedules) == 0 {
		return nil, missing("schedule not found in the latest revision of project id = %s: %s", project, workflow)
	}
	return &found.Schedules[0], nil
}

// ScheduleByID returns a schedule.
func (c *Client) ScheduleByID(ctx context.Context, id api.ID) (*api.Schedule, error) {
	return get[api.Schedule](ctx, c, "/api/schedules/"+id.String(), nil)
}

// SkipSchedule moves a schedule forward.
func (c *Client) SkipSchedule(ctx context.Context, id api.ID, q api.ScheduleSkipRequest) (*api.ScheduleSummary, error) {
	return change[api.ScheduleSummary](ctx, c, http.MethodPost, schedulePath(id, "skip"), q)
}

// BackfillSchedule starts sessions of the past.
func (c *Client) BackfillSchedule(ctx context.Context, id api.ID, q api.ScheduleBackfillRequest) (*api.ScheduleAttemptCollection, error) {
	return change[api.ScheduleAttemptCollection](ctx, c, http.MethodPost, schedulePath(id, "backfill"), q)
}

// DisableSchedule disables a schedule.
func (c *Client) DisableSchedule(ctx context.Context, id api.ID) (*api.ScheduleSummary, error) {
	return change[api.ScheduleSummary](ctx, c, http.MethodPost, schedulePath(id, "disable"), none{})
}

// EnableSchedule enables a schedule.
func (c *Client) EnableSchedule(ctx context.Context, id api.ID) (*api.ScheduleSummary, error) {
	return change[api.ScheduleSummary](ctx, c, http.MethodPost, schedulePath(id, "enable"), none{})
}

func schedulePath(id api.ID, verb string) string { return "/api/schedules/" + id.String() + "/" + verb }
