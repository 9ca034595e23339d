package secret_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
)

// rows are stored secrets of project 1, by scope and key.
type rows map[string]*trowel.Secret

func (r rows) FindSecret(_ context.Context, project trowel.ProjectID, scope, key string) (*trowel.Secret, error) {
	if key == "down" {
		return nil, errors.New("no connection")
	}
	row, ok := r[scope+" "+key]
	if !ok || project != 1 {
		return nil, trowel.ErrNotFound
	}
	return row, nil
}

func (r rows) ListProjectSecrets(_ context.Context, project trowel.ProjectID, limit int) (list []*trowel.Secret, err error) {
	for at, row := range r {
		if scope, key, ok := strings.Cut(at, " "); ok && project == 1 && len(list) < limit {
			list = append(list, &trowel.Secret{ProjectID: 1, Scope: scope, Key: key, Engine: row.Engine, Value: row.Value})
		}
	}
	return list, nil
}

func (r rows) SecretsBound(context.Context) (bool, error) { return r["bound"] != nil, nil }

// Server 3.7: first scope project, then project-default, then nothing else.
func TestStoredFindsInOrder(t *testing.T) {
	t.Parallel()
	c := crypter(t, keyA)
	seal := func(text, engine string) *trowel.Secret {
		form, err := c.EncryptUnbound(text)
		if err != nil {
			t.Fatal(err)
		}
		return &trowel.Secret{Engine: engine, Value: form}
	}
	all := rows{
		"project both":          seal("set", "aesgcm"),
		"project-default both":  seal("pushed", "aesgcm"),
		"project-default given": seal("pushed", "aesgcm"),
		"project other":         seal("x", "disabled"),
	}
	stored := secret.NewStored(all, c, 1)
	for _, finder := range []secret.Finder{stored, stored.ForTry()} {
		checkOrder(t, finder)
	}
	if _, found, err := secret.NewStored(all, c, 2).Find(t.Context(), "both"); found || err != nil {
		t.Errorf("another project: found = %v, error = %v, want none", found, err)
	}
	if _, _, err := stored.Find(t.Context(), "down"); !strings.Contains(text(err), `find secret "down" of project 1: no connection`) {
		t.Errorf("Find without a database: error = %v", err)
	}
}

// checkOrder compares what a Finder finds in TestStoredFindsInOrder.
func checkOrder(t *testing.T, finder secret.Finder) {
	t.Helper()
	for _, c := range []struct {
		key, want string
		found     bool
		problem   string
	}{
		{key: "both", want: "set", found: true},
		{key: "given", want: "pushed", found: true},
		{key: "none"},
		{key: "a..b", problem: "Illegal key: 'a..b'"},
		{key: "*", problem: "Illegal key: '*'"},
		{key: "other", problem: `it was stored by engine "disabled", not "aesgcm"`},
	} {
		got, found, err := finder.Find(t.Context(), c.key)
		if got.Reveal() != c.want || found != c.found || !strings.Contains(text(err), c.problem) || (err != nil) != (c.problem != "") {
			t.Errorf("Find(%q) = %q, %v, %v, want %q, %v, %q", c.key, got.Reveal(), found, err, c.want, c.found, c.problem)
		}
	}
	_, _, err := finder.Find(t.Context(), "other")
	if !errors.Is(err, trowel.ErrInternal) {
		t.Errorf("another engine: error = %v, want kind internal", err)
	}
}
