package client

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
)

// ListOutside returns the links that the tasks of an attempt have given, and what their commands have used, by id. A
// server that does not support it answers as if the path did not exist.
func (c *Client) ListOutside(ctx context.Context, id api.ID) (*api.TaskOutsideList, error) {
	return get[api.TaskOutsideList](ctx, c, "/api/attempts/"+id.String()+"/outside", nil)
}
