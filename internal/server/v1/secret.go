package v1

import (
	"log/slog"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/secret"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/find"
	"github.com/trowel-project/trowel/internal/server/rest"
)

func getSecrets(c *rest.Call) (any, error) {
	return find.InProject(c, func(tx trowel.Tx, p *trowel.Project) (api.SecretList, error) {
		list, err := tx.ListSecrets(c.Ctx(), p.ID, trowel.SecretProject)
		return api.SecretList{Secrets: document.List(list, func(s *trowel.Secret) api.SecretKey { return api.SecretKey{Key: s.Key} })}, err
	})
}

// secrets has the handler that encrypts secrets.
type secrets struct{ crypter *secret.Crypter }

func (h *secrets) put(c *rest.Call) (any, error) {
	var request api.SetSecretRequest
	if err := c.Decode(&request); err != nil {
		return nil, err
	}
	key := c.PathText()
	if err := secret.CheckStored(key, request.Value); err != nil {
		return nil, err
	}
	shape, _, err := changeSecret(c, "secret.put", key, func(tx trowel.Tx, p *trowel.Project) (changed bool, err error) {
		return true, h.crypter.Store(c.Ctx(), tx, &trowel.Secret{
			ProjectID: p.ID, Scope: trowel.SecretProject, Key: key, Actor: c.Caller.Name, UpdatedAt: c.Now,
		}, request.Value)
	})
	if err == nil {
		c.Log().Info("secret set", c.LogFields(shape.Project.Name, slog.String("key", key))...)
	}
	return shape, err
}

// deleteSecret gives the same answer if there was no such secret (server 1.10.19). Only a deletion is logged.
func deleteSecret(c *rest.Call) (any, error) {
	key := c.PathText()
	if err := secret.CheckStored(key, ""); err != nil {
		return nil, err
	}
	shape, deleted, err := changeSecret(c, "secret.delete", key, func(tx trowel.Tx, p *trowel.Project) (changed bool, err error) {
		return tx.DeleteSecret(c.Ctx(), p.ID, trowel.SecretProject, key)
	})
	if err == nil && deleted {
		c.Log().Info("secret deleted", c.LogFields(shape.Project.Name, slog.String("key", key))...)
	}
	return shape, err
}

// changeSecret changes a secret of a project, and records that if anything has changed.
func changeSecret(c *rest.Call,
	action, key string, change func(tx trowel.Tx, p *trowel.Project) (changed bool, err error),
) (shape api.Secret, changed bool, err error) {
	err = c.Update(func(tx trowel.Tx) error {
		p, err := find.LiveProject(c, tx)
		if err != nil {
			return err
		}
		shape = api.Secret{Key: key, Project: document.IDName(*p)}
		if changed, err = change(tx, p); err != nil || !changed {
			return err
		}
		// The record never has the value.
		return c.Record(tx, trowel.AuditRecord{Action: action, ObjectKind: "secret", ObjectID: key, Object: p.Name + "/" + key, ProjectID: p.ID})
	})
	return shape, changed, err
}
