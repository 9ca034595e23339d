package secret

import (
	"context"
	"errors"
	"sync"

	trowel "github.com/trowel-project/trowel"
)

// mostReads is how many lists of secrets are read at the same time. Each needs a connection to the database.
const mostReads = 4

// RowsIn returns the secrets in a database. A process makes it once, so that its tries share what they read.
func RowsIn(store trowel.Store) Rows {
	return &storedRows{store: store, turns: make(chan struct{}, mostReads), next: map[listed]*sharedList{}}
}

// storedRows reads secrets, each time in a transaction of its own. Tries that ask for the list of one project while all
// turns are taken get the same one: when thousands of waiting tasks become due, as many of them look as the agent has slots,
// which would take a connection each for a moment.
type storedRows struct {
	store trowel.Store
	turns chan struct{} // has an item for each list that is being read

	mu   sync.Mutex
	next map[listed]*sharedList // lists that nobody reads yet
}

// listed is what ListProjectSecrets is asked for.
type listed struct {
	project trowel.ProjectID
	limit   int
}

// sharedList is a list that is read by the first who asked for it, for all who ask before the read begins.
type sharedList struct {
	done chan struct{} // closed when the rest is set
	list []*trowel.Secret
	err  error
	left bool // who should read it has not, and others must
}

// FindSecret implements Rows. That there is none is no failure of the transaction, whose connection is kept.
func (s *storedRows) FindSecret(ctx context.Context, project trowel.ProjectID, scope, key string) (found *trowel.Secret, err error) {
	var none error
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		found, none = tx.FindSecret(ctx, project, scope, key)
		if errors.Is(none, trowel.ErrNotFound) {
			return nil
		}
		return none
	})
	if err == nil {
		err = none
	}
	return found, err
}

// ListProjectSecrets implements Rows. The rows must not be changed, as others have them too. The list is not older than
// the call.
func (s *storedRows) ListProjectSecrets(ctx context.Context, project trowel.ProjectID, limit int) ([]*trowel.Secret, error) {
	what := listed{project, limit}
	for {
		shared, first := s.join(what)
		if first {
			s.read(ctx, what, shared)
		}
		select {
		case <-shared.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if first || !shared.left {
			return shared.list, shared.err
		}
	}
}

// join returns the list that is read next, and whether the caller must read it.
func (s *storedRows) join(what listed) (shared *sharedList, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared = s.next[what]; shared != nil {
		return shared, false
	}
	shared = &sharedList{done: make(chan struct{})}
	s.next[what] = shared
	return shared, true
}

// read reads a list when there is a turn.
func (s *storedRows) read(ctx context.Context, what listed, shared *sharedList) {
	shared.left = true // until the end: also if the store panics
	defer close(shared.done)
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		shared.err = context.Cause(ctx)
	}
	s.mu.Lock()
	delete(s.next, what)
	s.mu.Unlock()
	if shared.err == nil {
		shared.err = s.store.View(ctx, func(tx trowel.Tx) (err error) {
			shared.list, err = tx.ListProjectSecrets(ctx, what.project, what.limit)
			return err
		})
	}
	shared.left = shared.err != nil && ctx.Err() != nil
}

// SecretsBound implements Rows.
func (s *storedRows) SecretsBound(ctx context.Context) (bound bool, err error) {
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		bound, err = tx.SecretsBound(ctx)
		return err
	})
	return bound, err
}
