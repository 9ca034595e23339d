package client

import (
	"context"
	"net/url"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// ExplainAttempt returns why an attempt does not run or end. With task, the end of a full name, it explains that
// task. Digdag's servers do not support it, which is an error with status 404.
func (c *Client) ExplainAttempt(ctx context.Context, id api.ID, task string) (*api.AttemptWhy, error) {
	return get[api.AttemptWhy](ctx, c, "/api/attempts/"+id.String()+"/why", query{"task": task})
}

// ExplainSession returns why a session of a workflow has no attempt.
func (c *Client) ExplainSession(ctx context.Context, project api.ID, workflow string, at time.Time) (*api.SessionWhy, error) {
	return get[api.SessionWhy](ctx, c, "/api/projects/"+project.String()+"/workflows/"+url.PathEscape(workflow)+"/why", query{"sessionTime": at.UTC().Format(time.RFC3339)})
}

// ExplainTask returns why a task does not run.
func (c *Client) ExplainTask(ctx context.Context, attempt, task api.ID) (*api.Why, error) {
	return get[api.Why](ctx, c, "/api/attempts/"+attempt.String()+"/tasks/"+task.String()+"/why", nil)
}

// ListReasons returns a page of the first reasons of an attempt's waiting tasks, by id. cursor is Next
// of the page before, or empty.
func (c *Client) ListReasons(ctx context.Context, id api.ID, cursor string) (*api.TaskReasonList, error) {
	return get[api.TaskReasonList](ctx, c, "/api/attempts/"+id.String()+"/reasons", query{"limit": "500", "cursor": cursor})
}

// FindTask returns a task with its tries and its reason.
func (c *Client) FindTask(ctx context.Context, attempt, task api.ID) (*api.TaskDetail, error) {
	return get[api.TaskDetail](ctx, c, "/api/attempts/"+attempt.String()+"/tasks/"+task.String(), nil)
}
