package secret_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
)

// countedRows counts how often secrets are read, and fails while err is set.
type countedRows struct {
	rows

	err                error
	finds, lists, most int
}

func (r *countedRows) FindSecret(ctx context.Context, project trowel.ProjectID, scope, key string) (*trowel.Secret, error) {
	r.finds++
	return r.rows.FindSecret(ctx, project, scope, key)
}

func (r *countedRows) ListProjectSecrets(ctx context.Context, project trowel.ProjectID, limit int) ([]*trowel.Secret, error) {
	r.lists++
	r.most = limit
	if r.err != nil {
		return nil, r.err
	}
	return r.rows.ListProjectSecrets(ctx, project, limit)
}

func wantSecret(t *testing.T, finder secret.Finder, key, want string) {
	t.Helper()
	got, found, err := finder.Find(t.Context(), key)
	if err != nil || found != (want != "") || got.Reveal() != want {
		t.Errorf("Find(%q) = %q, %v, %v, want %q", key, got.Reveal(), found, err, want)
	}
}

// A try reads the secrets of its project once, whatever it asks for, and the next try sees what has changed.
func TestTryReadsSecretsOnce(t *testing.T) {
	t.Parallel()
	c := crypter(t, keyA)
	row := func(text string) *trowel.Secret {
		form, err := c.EncryptUnbound(text)
		if err != nil {
			t.Fatal(err)
		}
		return &trowel.Secret{Engine: secret.Engine, Value: form}
	}
	all := &countedRows{rows: rows{"project a": row("one"), "project-default b": row("two")}, err: errors.New("no connection")}
	stored := secret.NewStored(all, c, 1)
	try := stored.ForTry()
	if all.lists != 0 {
		t.Errorf("%d reads before a secret was asked for", all.lists)
	}
	if _, _, err := try.Find(t.Context(), "a"); err == nil {
		t.Error("Find without a database: no error")
	}
	all.err, all.lists = nil, 0
	for range 3 {
		wantSecret(t, try, "a", "one")
		wantSecret(t, try, "b", "two")
		wantSecret(t, try, "none", "")
	}
	if all.lists != 1 || all.finds != 0 {
		t.Errorf("%d lists and %d single reads, want 1 and 0", all.lists, all.finds)
	}
	all.rows["project a"] = row("changed")
	wantSecret(t, stored.ForTry(), "a", "changed")
}

// Of a project with very many secrets each is read for itself.
func TestTryReadsManySecretsOneByOne(t *testing.T) {
	t.Parallel()
	c := crypter(t, keyA)
	form, err := c.EncryptUnbound("hush")
	if err != nil {
		t.Fatal(err)
	}
	all := &countedRows{rows: rows{}}
	for i := range 300 {
		all.rows[fmt.Sprintf("project k%d", i)] = &trowel.Secret{Engine: secret.Engine, Value: form}
	}
	try := secret.NewStored(all, c, 1).ForTry()
	for i := range 300 {
		wantSecret(t, try, fmt.Sprintf("k%d", i), "hush")
	}
	wantSecret(t, try, "none", "")
	if all.lists != 1 || all.most >= 300 || all.finds != 302 { // of the missing one, both scopes
		t.Errorf("%d lists of at most %d and %d single reads, want 1 and 302", all.lists, all.most, all.finds)
	}
}
