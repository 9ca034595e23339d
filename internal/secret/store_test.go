package secret_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
)

// table is a table of secrets in memory.
type table struct {
	list  []*trowel.Secret
	bound bool
}

func (t *table) at(p secret.Place) int {
	return slices.IndexFunc(t.list, func(s *trowel.Secret) bool { return secret.PlaceOf(s) == p })
}

func (t *table) PutSecret(_ context.Context, s *trowel.Secret) error {
	row := *s
	if i := t.at(secret.PlaceOf(s)); i >= 0 {
		t.list[i] = &row
		return nil
	}
	t.list = append(t.list, &row)
	return nil
}

func (t *table) FindSecret(_ context.Context, project trowel.ProjectID, scope, key string) (*trowel.Secret, error) {
	if i := t.at(secret.Place{Project: project, Scope: scope, Key: key}); i >= 0 {
		return t.list[i], nil
	}
	return nil, trowel.ErrNotFound
}

func (t *table) ListProjectSecrets(context.Context, trowel.ProjectID, int) ([]*trowel.Secret, error) {
	return nil, errors.ErrUnsupported // for tries only
}

func (t *table) ListAllSecrets(context.Context) ([]*trowel.Secret, error) {
	var list []*trowel.Secret
	for _, s := range t.list {
		row := *s
		list = append(list, &row)
	}
	return list, nil
}

func (t *table) SecretsBound(context.Context) (bool, error)   { return t.bound, nil }
func (t *table) KeepSecretForm(context.Context) (bool, error) { return t.bound, nil }
func (t *table) LockSecretForm(context.Context) error         { return nil }
func (t *table) BindSecrets(context.Context) error            { t.bound = true; return nil }

func row(project trowel.ProjectID, scope, key string) *trowel.Secret {
	return &trowel.Secret{ProjectID: project, Scope: scope, Key: key}
}

func (t *table) store(tb testing.TB, c *secret.Crypter, s *trowel.Secret, text string) {
	tb.Helper()
	if err := c.Store(tb.Context(), t, s, text); err != nil {
		tb.Fatal(err)
	}
}

// A row that somebody with access to the table moves to another project, scope or key, or whose value is swapped with
// another one, cannot be read.
func TestMovedSecretsAreRefused(t *testing.T) {
	t.Parallel()
	c := crypter(t, keyA)
	for _, to := range []*trowel.Secret{
		row(2, "project", "password"), row(1, "project-default", "password"), row(1, "project", "other"), row(1, "project", "passwor"),
		row(1, "projectp", "assword"), row(257, "project", "password"),
	} {
		all := &table{bound: true}
		from := row(1, "project", "password")
		all.store(t, c, from, "hush")
		if value, found, err := secret.NewStored(all, c, 1).Find(t.Context(), "password"); err != nil || !found || value.Reveal() != "hush" {
			t.Fatalf("Find = %v, %v", found, err)
		}
		to.Engine, to.Value = from.Engine, from.Value
		if text, _, err := c.Decrypt(secret.PlaceOf(to), to.Value); err == nil || !strings.Contains(err.Error(), "another project or key") {
			t.Errorf("moved to %+v: Decrypt = %q, %v, want a refusal", secret.PlaceOf(to), text, err)
		}
	}
}

// Changing the version in the form does not help: a bound form that claims to be Digdag's is refused, and so is the
// opposite.
func TestFormsAreNotMixed(t *testing.T) {
	t.Parallel()
	c := crypter(t, keyA)
	bound, err := c.Encrypt(here, "hush")
	if err != nil {
		t.Fatal(err)
	}
	unbound, err := c.EncryptUnbound("hush")
	if err != nil {
		t.Fatal(err)
	}
	// Bytes 6 to 9 are the version: characters 8 to 13 of Base64.
	for name, form := range map[string]string{
		"bound as Digdag's": bound[:8] + unbound[8:14] + bound[14:],
		"Digdag's as bound": unbound[:8] + bound[8:14] + unbound[14:],
	} {
		if text, _, err := c.Decrypt(here, form); err == nil {
			t.Errorf("%s: Decrypt = %q, want a refusal", name, text)
		}
	}
}

// While there are servers of an older version, both forms are read and theirs is written. After all secrets are
// rewritten the older form is refused, whoever writes it.
func TestRewrite(t *testing.T) {
	t.Parallel()
	old, c := crypter(t, keyB), crypter(t, keyA, keyB)
	all := &table{}
	all.store(t, old, row(1, "project", "a"), "one")
	all.store(t, c, row(1, "project", "b"), "two")
	all.store(t, c, row(2, "project-default", "a"), "three")
	replayed := *all.list[1]
	find := func(project trowel.ProjectID, key string) string {
		value, _, err := secret.NewStored(all, c, project).Find(t.Context(), key)
		return value.Reveal() + text(err)
	}
	if got := find(1, "a") + find(1, "b") + find(2, "a"); got != "onetwothree" {
		t.Fatalf("before: %s", got)
	}
	for range 2 {
		done, err := c.Rewrite(t.Context(), all)
		if err != nil || done.Secrets != 3 || !done.Bound || len(done.Failed) > 0 {
			t.Fatalf("Rewrite = %+v, %v", done, err)
		}
	}
	if got := find(1, "a") + find(1, "b") + find(2, "a"); got != "onetwothree" {
		t.Errorf("after: %s", got)
	}
	c = crypter(t, keyA) // the old key is not needed any more
	if got := find(1, "a"); got != "one" {
		t.Errorf("without the old key: %s", got)
	}
	replayed.Key = "a"
	if err := all.PutSecret(t.Context(), &replayed); err != nil {
		t.Fatal(err)
	}
	if got := find(1, "a"); !strings.Contains(got, "does not say which project and key it belongs to") {
		t.Errorf("a row in the older form: %s, want a refusal", got)
	}
	all.store(t, c, row(1, "project", "a"), "new")
	if got := find(1, "a"); got != "new" {
		t.Errorf("set anew: %s", got)
	}
}

// Secrets that cannot be decrypted are left as they are. If they have the older form, that is still read.
func TestRewriteLeavesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	c, lost := crypter(t, keyA), crypter(t, keyB)
	all := &table{}
	all.store(t, c, row(1, "project", "good"), "x")
	all.store(t, lost, row(1, "project", "lost"), "x")
	foreign := row(1, "project", "foreign")
	foreign.Engine, foreign.Value = "disabled", "x"
	all.list = append(all.list, foreign)
	done, err := c.Rewrite(t.Context(), all)
	if err != nil || done.Secrets != 1 || done.Bound || all.bound || len(done.Failed) != 2 || done.Failed[0].Key != "lost" {
		t.Errorf("Rewrite = %+v, %v, bound = %v", done, err, all.bound)
	}
	all.store(t, c, row(1, "project", "lost"), "again")
	if done, err = c.Rewrite(t.Context(), all); err != nil || !done.Bound || len(done.Failed) != 1 || done.Failed[0].Key != "foreign" {
		t.Errorf("Rewrite after the lost one was set = %+v, %v", done, err)
	}
	if _, err := crypter(t, "").Rewrite(t.Context(), all); !errors.Is(err, trowel.ErrInvalid) {
		t.Errorf("Rewrite without a key: error = %v", err)
	}
}
