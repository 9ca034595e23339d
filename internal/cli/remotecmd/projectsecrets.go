package remotecmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/client"
	"github.com/trowel-project/trowel/internal/secret"
)

// projectSecrets are the secrets of a project on a server.
type projectSecrets struct {
	server  *client.Client
	project api.ID
}

// List returns the keys in alphabetical order.
func (p projectSecrets) List(ctx context.Context) ([]string, error) {
	list, err := p.server.ListSecrets(ctx, p.project)
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(list.Secrets))
	for i, s := range list.Secrets {
		keys[i] = s.Key
	}
	slices.Sort(keys)
	return keys, nil
}

// Set sets a secret.
func (p projectSecrets) Set(ctx context.Context, key, value string) error {
	return secretRefused("set", p.server.SetSecret(ctx, p.project, key, value))
}

// Delete deletes a secret, if there is one.
func (p projectSecrets) Delete(ctx context.Context, key string) error {
	return secretRefused("delete", p.server.DeleteSecret(ctx, p.project, key))
}

// noKeyFix says how to give a server a key.
const noKeyFix = "fix: set digdag.secret-encryption-key in the configuration of the server to 16 random bytes in Base64, the same on all servers of the database, and " +
	"start it again; `openssl rand -base64 16` makes one"

// secretRefused turns the refusal of a change into Digdag's text (server 1.10.19), followed by what the
// server said.
func secretRefused(what string, err error) error {
	refused, ok := errors.AsType[*client.StatusError](err)
	if !ok {
		return err
	}
	text := fmt.Sprintf("Failed to %s project secret: %s", what, http.StatusText(refused.Code))
	if message := refused.Answer().Message; message != nil {
		text += "\nthe server says: " + *message
		if *message == secret.NoKeyText {
			return &cmd.ComplaintError{Text: text, Hint: noKeyFix}
		}
	}
	return &cmd.ComplaintError{Text: text}
}
