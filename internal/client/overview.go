package client

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// FailureSearch says which failures to look for. Zero values match everything, but for Since: then it is the last day.
type FailureSearch struct {
	Project  string
	Workflow string // needs Project
	Since    time.Time
}

// ListFailures returns a page of failures by cause, newest first.
func (c *Client) ListFailures(ctx context.Context, q FailureSearch, page Cursor) (*api.FailureList, error) {
	return get[api.FailureList](ctx, c, "/api/failures", page.query(query{
		"project": q.Project, "workflow": q.Workflow, "since": instantText(q.Since),
	}))
}

// ListLate returns what should have happened, the latest first.
func (c *Client) ListLate(ctx context.Context) (*api.LateList, error) {
	return get[api.LateList](ctx, c, "/api/late", nil)
}

// ListUpcoming returns a page of the sessions that schedules will start before an instant, the earliest first. The zero
// instant is in 2 hours; project and workflow may be empty.
func (c *Client) ListUpcoming(ctx context.Context, to time.Time, project, workflow string, page Cursor) (*api.UpcomingList, error) {
	return get[api.UpcomingList](ctx, c, "/api/upcoming", page.query(query{"to": instantText(to), "project": project, "workflow": workflow}))
}
