package client

import (
	"context"
	"net/http"

	"github.com/trowel-project/trowel/internal/api"
)

// ListSecrets returns the keys of a project's secrets, in any order.
func (c *Client) ListSecrets(ctx context.Context, project api.ID) (*api.SecretList, error) {
	return get[api.SecretList](ctx, c, "/api/projects/"+project.String()+"/secrets", nil)
}

// SetSecret sets a secret of a project.
func (c *Client) SetSecret(ctx context.Context, project api.ID, key, value string) error {
	_, err := change[api.Secret](ctx, c, http.MethodPut, secretPath(project, key), api.SetSecretRequest{Value: value})
	return err
}

// DeleteSecret deletes a secret of a project, if there is one.
func (c *Client) DeleteSecret(ctx context.Context, project api.ID, key string) error {
	_, err := change[api.Secret](ctx, c, http.MethodDelete, secretPath(project, key), nil)
	return err
}

func secretPath(project api.ID, key string) string {
	return "/api/projects/" + project.String() + "/secrets/" + segment(key)
}
