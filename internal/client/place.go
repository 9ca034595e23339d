package client

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
)

// ListPlaces returns where the tasks of an attempt are written, by id. A server that does not know answers as
// if there were no such path.
func (c *Client) ListPlaces(ctx context.Context, id api.ID) (*api.TaskPlaceList, error) {
	return get[api.TaskPlaceList](ctx, c, "/api/attempts/"+id.String()+"/places", nil)
}
