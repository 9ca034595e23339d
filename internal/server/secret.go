package server

import (
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/secret"
)

func getSecrets(c *call) (any, error) {
	return inProject(c, func(tx trowel.Tx, p *trowel.Project) (api.SecretList, error) {
		list, err := tx.ListSecrets(c.ctx(), p.ID, trowel.SecretProject)
		return api.SecretList{Secrets: listOf(list, func(s *trowel.Secret) api.SecretKey { return api.SecretKey{Key: s.Key} })}, err
	})
}

// secrets are the handlers that need the key of all secrets.
type secrets struct{ crypter *secret.Crypter }

func (h *secrets) put(c *call) (any, error) {
	var request api.SetSecretRequest
	if err := c.decode(&request); err != nil {
		return nil, err
	}
	key := c.text()
	if err := secret.CheckStored(key, request.Value); err != nil {
		return nil, err
	}
	shape, _, err := changeSecret(c, "secret.put", key, func(tx trowel.Tx, p *trowel.Project) (changed bool, err error) {
		return true, h.crypter.Store(c.ctx(), tx, &trowel.Secret{
			ProjectID: p.ID, Scope: trowel.SecretProject, Key: key, Actor: c.caller.Name, UpdatedAt: c.now,
		}, request.Value)
	})
	if err == nil {
		c.log().Info("secret set", c.changed(shape.Project.Name, slog.String("key", key))...)
	}
	return shape, err
}

// deleteSecret answers alike whether or not there was such a secret (server 1.10.19); only a deletion is told.
func deleteSecret(c *call) (any, error) {
	key := c.text()
	if err := secret.CheckStored(key, ""); err != nil {
		return nil, err
	}
	shape, deleted, err := changeSecret(c, "secret.delete", key, func(tx trowel.Tx, p *trowel.Project) (changed bool, err error) {
		return tx.DeleteSecret(c.ctx(), p.ID, trowel.SecretProject, key)
	})
	if err == nil && deleted {
		c.log().Info("secret deleted", c.changed(shape.Project.Name, slog.String("key", key))...)
	}
	return shape, err
}

// changeSecret changes a secret of a project. What changed nothing leaves no record.
func changeSecret(c *call,
	action, key string, change func(tx trowel.Tx, p *trowel.Project) (changed bool, err error),
) (shape api.Secret, changed bool, err error) {
	err = c.update(func(tx trowel.Tx) error {
		p, err := liveProject(c, tx)
		if err != nil {
			return err
		}
		shape = api.Secret{Key: key, Project: idName(*p)}
		if changed, err = change(tx, p); err != nil || !changed {
			return err
		}
		// Never the value.
		return c.record(tx, trowel.Record{Action: action, ObjectKind: "secret", ObjectID: key, Object: p.Name + "/" + key, ProjectID: p.ID})
	})
	return shape, changed, err
}
