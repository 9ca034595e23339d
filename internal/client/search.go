package client

import (
	"context"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// AttemptSearch says which attempts to look for. Zero values match everything.
type AttemptSearch struct {
	Status      string // running, success, error or killed
	Project     string
	Workflow    string // needs Project
	CreatedFrom time.Time
	LastOnly    bool // only the last attempt of each session
}

// SearchAttempts returns a page of attempts, newest first. Digdag's servers and older ones do not support it, which is
// a *StatusError of 404 without a code.
func (c *Client) SearchAttempts(ctx context.Context, q AttemptSearch, page Cursor) (*api.AttemptSearch, error) {
	unit := ""
	if q.LastOnly {
		unit = "session"
	}
	return get[api.AttemptSearch](ctx, c, "/api/search/attempts", page.query(query{
		"status": q.Status, "project": q.Project, "workflow": q.Workflow, "createdFrom": instantText(q.CreatedFrom), "unit": unit,
	}))
}
