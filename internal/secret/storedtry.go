package secret

import (
	"context"
	"sync"

	"github.com/trowel-project/trowel"
)

// mostListed is the largest number of secrets of a project that a try reads at once.
const mostListed = 256

// storedTry finds the secrets of a project for one try, which asks for many keys and finds few of them: s3_wait> asks for
// eight in up to two scopes, each time it looks. So all rows are read when the first secret is asked for, in one
// transaction. They stay encrypted until they are asked for.
type storedTry struct {
	stored *Stored

	mu   sync.Mutex
	read bool                     // the rows were read
	rows map[Place]*trowel.Secret // of all scopes; nil if there are more than mostListed, so that each is read for itself
}

// ForTry returns a Finder of the same secrets for one try. A secret that is changed after the first was asked for is
// seen by the next try.
func (s *Stored) ForTry() Finder { return &storedTry{stored: s} }

// Find implements Finder, as Stored.Find.
func (t *storedTry) Find(ctx context.Context, key string) (Value, bool, error) {
	return t.stored.findIn(ctx, key, func(scope string) (*trowel.Secret, error) { return t.row(ctx, scope, key) })
}

// row returns a row, or trowel.ErrNotFound.
func (t *storedTry) row(ctx context.Context, scope, key string) (*trowel.Secret, error) {
	rows, err := t.list(ctx)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		return t.stored.rows.FindSecret(ctx, t.stored.project, scope, key)
	}
	if row := rows[Place{t.stored.project, scope, key}]; row != nil {
		return row, nil
	}
	return nil, trowel.ErrNotFound
}

// list returns all rows, or nil if there are too many of them.
func (t *storedTry) list(ctx context.Context) (map[Place]*trowel.Secret, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.read {
		return t.rows, nil
	}
	list, err := t.stored.rows.ListProjectSecrets(ctx, t.stored.project, mostListed+1)
	if err != nil {
		return nil, err
	}
	if t.read = true; len(list) > mostListed {
		return nil, nil //nolint:nilnil // see above
	}
	t.rows = make(map[Place]*trowel.Secret, len(list))
	for _, row := range list {
		t.rows[PlaceOf(row)] = row
	}
	return t.rows, nil
}
