package client

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
)

// WorkflowQuery selects workflows of all projects. Zero values select all.
type WorkflowQuery struct {
	LastID     api.ID
	Count      *int   // the largest number of results; nil for the server's default
	Descending bool   // by descending id, so that the page is below LastID
	Name       string // part of the name
}

// ListWorkflows returns the workflows of the latest revisions of all projects.
func (c *Client) ListWorkflows(ctx context.Context, q WorkflowQuery) (*api.WorkflowCollection, error) {
	order := "asc"
	if q.Descending {
		order = "desc"
	}
	return get[api.WorkflowCollection](ctx, c, "/api/workflows",
		query{"last_id": idText(q.LastID), "count": number(q.Count), "order": order, "name_pattern": q.Name})
}

// ListProjectWorkflows returns the workflows of a revision, or of the latest one if revision is empty.
func (c *Client) ListProjectWorkflows(ctx context.Context, project api.ID, revision string) (*api.WorkflowCollection, error) {
	return get[api.WorkflowCollection](ctx, c, "/api/projects/"+project.String()+"/workflows", query{"revision": revision})
}

// FindWorkflow returns a workflow of a revision, or of the latest one if revision is empty. If there is none it returns a
// 404 that Digdag's client makes up.
func (c *Client) FindWorkflow(ctx context.Context, project api.ID, revision, name string) (*api.Workflow, error) {
	found, err := get[api.WorkflowCollection](ctx, c, "/api/projects/"+project.String()+"/workflows",
		query{"revision": revision, "name": name})
	switch {
	case err != nil:
		return nil, err
	case len(found.Workflows) > 0:
		return &found.Workflows[0], nil
	case revision == "":
		return nil, missing("workflow not found in the latest revision of project id = %s: %s", project, name)
	default:
		return nil, missing("workflow not found in revision = %s of project id = %s: %s", revision, project, name)
	}
}

// WorkflowByID returns a workflow of any revision.
func (c *Client) WorkflowByID(ctx context.Context, id api.ID) (*api.Workflow, error) {
	return get[api.Workflow](ctx, c, "/api/workflows/"+id.String(), nil)
}

// Ways to cut off a time in WorkflowSessionTime.
const (
	CutNothing = ""
	CutHour    = "hour"
	CutDay     = "day"
)

// WorkflowSessionTime returns a time as a session time of a workflow. at is an ISO time, which is local in the
// workflow's zone if it has no offset.
func (c *Client) WorkflowSessionTime(ctx context.Context, workflow api.ID, at, cut string) (*api.WorkflowSessionTime, error) {
	return get[api.WorkflowSessionTime](ctx, c, "/api/workflows/"+workflow.String()+"/truncated_session_time",
		query{"session_time": at, "mode": cut})
}
