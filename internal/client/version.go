package client

import (
	"context"

	"github.com/trowel-project/trowel/internal/api"
)

// Version asks for the server's version, which needs no credentials.
func (c *Client) Version(ctx context.Context) (string, error) {
	answer, err := get[api.Version](ctx, c, "/api/version", nil)
	if err != nil {
		return "", err
	}
	return answer.Version, nil
}

// CheckVersion asks whether the server accepts a client of this version of Digdag. The
// client's own version is only used by servers that know it.
func (c *Client) CheckVersion(ctx context.Context) (*api.VersionCheck, error) {
	return get[api.VersionCheck](ctx, c, "/api/version/check", query{"client": c.options.DigdagVersion, "version": c.options.Version})
}
