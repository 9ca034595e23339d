package client

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
)

// Page is a part of a list that is sorted newest first.
type Page struct {
	LastID api.ID // only those with a smaller id; 0 for the newest
	Size   *int   // the largest number of results; nil for the server's default
}

// ListSessions returns sessions of all projects.
func (c *Client) ListSessions(ctx context.Context, p Page) (*api.SessionCollection, error) {
	return get[api.SessionCollection](ctx, c, "/api/sessions", p.query())
}

// ListProjectSessions returns sessions of a project, or of one workflow if that is not empty.
func (c *Client) ListProjectSessions(ctx context.Context, project api.ID, workflow string, p Page) (*api.SessionCollection, error) {
	q := p.query()
	q["workflow"] = workflow
	return get[api.SessionCollection](ctx, c, "/api/projects/"+project.String()+"/sessions", q)
}

// FindSession returns a session.
func (c *Client) FindSession(ctx context.Context, id api.ID) (*api.Session, error) {
	return get[api.Session](ctx, c, "/api/sessions/"+id.String(), nil)
}

func (p Page) query() query {
	return query{"last_id": idText(p.LastID), "page_size": number(p.Size)}
}
