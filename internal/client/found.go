package client

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
)

// SearchEverything returns what people may mean by some words. kinds, with commas between them, may be empty for all.
func (c *Client) SearchEverything(ctx context.Context, words, kinds string) (*api.Found, error) {
	return get[api.Found](ctx, c, "/api/search", query{"q": words, "kinds": kinds})
}
