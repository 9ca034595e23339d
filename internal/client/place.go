package client

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
)

// ListPlaces returns where the tasks of an attempt are written, by id. A server that does not support it answers as
// if the path did not exist.
func (c *Client) ListPlaces(ctx context.Context, id api.ID) (*api.TaskPlaceList, error) {
	return get[api.TaskPlaceList](ctx, c, "/api/attempts/"+id.String()+"/places", nil)
}
