package client

import (
	"context"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
)

// ListTokens returns all tokens, even revoked ones, without their secrets.
func (c *Client) ListTokens(ctx context.Context) (*api.TokenList, error) {
	return get[api.TokenList](ctx, c, "/api/tokens", nil)
}

// CreateToken makes a token. The answer has its secret.
func (c *Client) CreateToken(ctx context.Context, r api.TokenRequest) (*api.Token, error) {
	return change[api.Token](ctx, c, http.MethodPost, "/api/tokens", r)
}

// RevokeToken revokes a token. If it is revoked already, nothing changes.
func (c *Client) RevokeToken(ctx context.Context, id api.ID) (*api.Token, error) {
	return change[api.Token](ctx, c, http.MethodDelete, "/api/tokens/"+id.String(), nil)
}
