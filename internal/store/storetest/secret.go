package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

func newSecret(s *trowel.AttemptContext, key string) *trowel.Secret {
	return &trowel.Secret{
		ProjectID: s.Project.ID, Scope: trowel.SecretProject, Key: key, Engine: "aesgcm", Value: "encrypted " + key, Actor: "somebody", UpdatedAt: at(5),
	}
}

// There is one value for project, scope and key, which is replaced as a whole.
func testSecrets(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	// Keys are sorted by their bytes, unlike in a dictionary.
	keys := []*trowel.Secret{newSecret(s, "B.b"), newSecret(s, "a"), newSecret(s, "a.B"), newSecret(s, "a_b"), newSecret(s, "\u00e4")}
	other := newSecret(s, "a")
	other.Scope, other.Value = trowel.SecretDefault, "another"
	old := newSecret(s, "a")
	old.Value, old.Engine, old.Actor, old.UpdatedAt = "old", "none", "nobody", at(1)
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		errs := []error{tx.PutSecret(ctx, old), tx.PutSecret(ctx, other)}
		for _, i := range []int{4, 2, 0, 1, 3} {
			errs = append(errs, tx.PutSecret(ctx, keys[i]))
		}
		return errors.Join(errs...)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindSecret(ctx, s.Project.ID, trowel.SecretProject, "a")
		equal(t, "FindSecret", got, keys[1])
		list, errList := tx.ListSecrets(ctx, s.Project.ID, trowel.SecretProject)
		equal(t, "ListSecrets", list, keys)
		defaults, errDefaults := tx.ListSecrets(ctx, s.Project.ID, trowel.SecretDefault)
		equal(t, "ListSecrets of the other scope", defaults, []*trowel.Secret{other})
		all, errAll := tx.ListProjectSecrets(ctx, s.Project.ID, 100)
		equal(t, "number of secrets of all scopes", len(all), len(keys)+1)
		equal(t, "ListProjectSecrets has the other scope", slices.ContainsFunc(all, func(s *trowel.Secret) bool { return *s == *other }), true)
		few, errFew := tx.ListProjectSecrets(ctx, s.Project.ID, 2)
		equal(t, "number of secrets of all scopes, at most 2", len(few), 2)
		nobody, errNobody := tx.ListProjectSecrets(ctx, 999, 100)
		equal(t, "number of secrets of an unknown project, in all scopes", len(nobody), 0)
		none, errNone := tx.ListSecrets(ctx, 999, trowel.SecretProject)
		equal(t, "number of secrets of an unknown project", len(none), 0)
		_, errUnknown := tx.FindSecret(ctx, s.Project.ID, trowel.SecretProject, "unknown")
		wantNotFound(t, map[string]error{"FindSecret(unknown)": errUnknown})
		return errors.Join(err, errList, errDefaults, errAll, errFew, errNobody, errNone)
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		first, errFirst := tx.DeleteSecret(ctx, s.Project.ID, trowel.SecretProject, "a")
		equal(t, "DeleteSecret", first, true)
		second, errSecond := tx.DeleteSecret(ctx, s.Project.ID, trowel.SecretProject, "a")
		equal(t, "DeleteSecret of a deleted one", second, false)
		return errors.Join(errFirst, errSecond)
	})
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		list, errList := tx.ListSecrets(ctx, s.Project.ID, trowel.SecretProject)
		equal(t, "number of secrets after one was deleted", len(list), len(keys)-1)
		_, err := tx.FindSecret(ctx, s.Project.ID, trowel.SecretDefault, "a")
		return errors.Join(err, errList)
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.PutSecret(ctx, newSecret(&trowel.AttemptContext{Project: trowel.Project{ID: 999}}, "k"))
	})
}

// In an empty database all secrets are bound from the beginning. A transaction that stores one keeps that from changing.
func testSecretForm(t *testing.T, db trowel.Store) {
	s := newSetting(t, db)
	a, b := newSecret(s, "a"), newSecret(s, "b")
	b.Scope = trowel.SecretDefault
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		bound, err := tx.SecretsBound(ctx)
		equal(t, "SecretsBound of a new database", bound, true)
		return err
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		bound, err := tx.KeepSecretForm(ctx)
		equal(t, "KeepSecretForm", bound, true)
		return errors.Join(err, tx.PutSecret(ctx, a), tx.PutSecret(ctx, b))
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		err := tx.LockSecretForm(ctx)
		list, errList := tx.ListAllSecrets(ctx)
		equal(t, "ListAllSecrets", list, []*trowel.Secret{a, b})
		return errors.Join(err, errList, tx.BindSecrets(ctx), tx.BindSecrets(ctx))
	})
}
