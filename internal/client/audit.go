package client

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// AuditQuery selects entries of the audit. Zero values select all.
type AuditQuery struct {
	Actor, Action, Source string
	Project, Workflow     string
	Attempt               api.ID
	Task                  string // an id or a full name; needs Attempt
	From, To              time.Time
	Ascending             bool // oldest first; needs Attempt
}

// ListAudit returns a page of the audit.
func (c *Client) ListAudit(ctx context.Context, q AuditQuery, page Cursor) (*api.AuditList, error) {
	order := ""
	if q.Ascending {
		order = "asc"
	}
	return get[api.AuditList](ctx, c, "/api/audit", page.query(query{
		"actor": q.Actor, "action": q.Action, "source": q.Source, "project": q.Project, "workflow": q.Workflow, "attempt": idText(q.Attempt),
		"task": q.Task, "from": instantText(q.From), "to": instantText(q.To), "order": order,
	}))
}

// instantText returns an instant as a parameter. The zero instant means none.
func instantText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}
