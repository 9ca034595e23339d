package client

import (
	"context"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
)

// AttemptQuery selects attempts of all projects. Zero values select the last one of each session.
type AttemptQuery struct {
	Project        string
	Workflow       string // needs Project
	IncludeRetried bool   // all attempts of each session
	Page           Page
}

// ListAttempts returns attempts, newest first.
func (c *Client) ListAttempts(ctx context.Context, q AttemptQuery) (*api.AttemptCollection, error) {
	parameters := q.Page.query()
	parameters["project"], parameters["workflow"] = q.Project, q.Workflow
	if q.IncludeRetried {
		parameters["include_retried"] = "true"
	}
	return get[api.AttemptCollection](ctx, c, "/api/attempts", parameters)
}

// ListSessionAttempts returns all attempts of a session, newest first.
func (c *Client) ListSessionAttempts(ctx context.Context, session api.ID, p Page) (*api.AttemptCollection, error) {
	return get[api.AttemptCollection](ctx, c, "/api/sessions/"+session.String()+"/attempts", p.query())
}

// FindAttempt returns an attempt.
func (c *Client) FindAttempt(ctx context.Context, id api.ID) (*api.Attempt, error) {
	return get[api.Attempt](ctx, c, "/api/attempts/"+id.String(), nil)
}

// ListRetries returns all attempts of the session of an attempt, oldest first.
func (c *Client) ListRetries(ctx context.Context, id api.ID) (*api.AttemptCollection, error) {
	return get[api.AttemptCollection](ctx, c, "/api/attempts/"+id.String()+"/retries", nil)
}

// ListTasks returns the tasks of an attempt by ascending id. If there is no such attempt, some servers return an empty
// list.
func (c *Client) ListTasks(ctx context.Context, id api.ID) (*api.TaskCollection, error) {
	return get[api.TaskCollection](ctx, c, "/api/attempts/"+id.String()+"/tasks", nil)
}

// StartAttempt starts an attempt. If it exists already, the body of the 409 is that attempt.
func (c *Client) StartAttempt(ctx context.Context, q api.AttemptRequest) (*api.Attempt, error) {
	return change[api.Attempt](ctx, c, http.MethodPut, "/api/attempts", q)
}

// KillAttempt kills an attempt and returns it as it was before.
func (c *Client) KillAttempt(ctx context.Context, id api.ID) (*api.Attempt, error) {
	return change[api.Attempt](ctx, c, http.MethodPost, "/api/attempts/"+id.String()+"/kill", none{})
}
