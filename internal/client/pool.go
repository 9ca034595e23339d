package client

import (
	"context"
	"net/http"
	"strconv"

	"github.com/trowel-project/trowel/internal/api"
)

// Cursor says where a page of one of Trowel's own lists begins, and how long it is.
type Cursor struct {
	Next  string // Next of the page before; empty for the first page
	Limit int    // zero for the server's default
}

func (p Cursor) query(q query) query {
	q["cursor"] = p.Next
	if p.Limit > 0 {
		q["limit"] = strconv.Itoa(p.Limit)
	}
	return q
}

// poolPath returns the path of a pool. q has the project whose pool it is, or none for a pool of the site.
func poolPath(name string, q query) string {
	path := "/api/pools/" + segment(name)
	if encoded := q.encode(); encoded != "" {
		path += "?" + encoded
	}
	return path
}

// ListPools returns a page of the pools of a project, or of all if project is empty.
func (c *Client) ListPools(ctx context.Context, project string, page Cursor) (*api.PoolList, error) {
	return get[api.PoolList](ctx, c, "/api/pools", page.query(query{"project": project}))
}

// FindPool returns a pool of a project, or of the site if that is empty.
func (c *Client) FindPool(ctx context.Context, project, name string) (*api.Pool, error) {
	return get[api.Pool](ctx, c, poolPath(name, nil), query{"project": project})
}

// SetPool makes or changes a pool of a project, or of the site if that is empty.
func (c *Client) SetPool(ctx context.Context, project, name string, r api.PoolRequest) (*api.PoolChange, error) {
	return change[api.PoolChange](ctx, c, http.MethodPut, poolPath(name, query{"project": project}), r)
}

// DeletePool deletes a pool of a project, or of the site if that is empty.
func (c *Client) DeletePool(ctx context.Context, project, name, note string, dryRun bool) (*api.PoolChange, error) {
	q := query{"project": project, "note": note}
	if dryRun {
		q["dryRun"] = "true"
	}
	return change[api.PoolChange](ctx, c, http.MethodDelete, poolPath(name, q), nil)
}

// ListPoolTasks returns a page of the tasks that hold slots of a pool, or, with waiting, of those that wait for some.
func (c *Client) ListPoolTasks(ctx context.Context, project, name string, waiting bool, page Cursor) (*api.PoolTaskList, error) {
	q := query{"project": project, "use": "holding"}
	if waiting {
		q["use"] = "waiting"
	}
	return get[api.PoolTaskList](ctx, c, "/api/pools/"+segment(name)+"/tasks", page.query(q))
}

// FindPoolHistory returns the use of a pool over the last 24 hours.
func (c *Client) FindPoolHistory(ctx context.Context, project, name string) (*api.PoolHistory, error) {
	return get[api.PoolHistory](ctx, c, "/api/pools/"+segment(name)+"/history", query{"project": project})
}

// ListQueues returns the queues that agents serve or tasks name.
func (c *Client) ListQueues(ctx context.Context) (*api.QueueList, error) {
	return get[api.QueueList](ctx, c, "/api/queues", nil)
}
