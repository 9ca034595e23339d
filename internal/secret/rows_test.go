package secret_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/secret"
)

// slowStore lists secrets when it is told to, and counts.
type slowStore struct {
	trowel.Store
	trowel.Tx

	goOn chan struct{}

	mu                sync.Mutex
	lists, open, most int
}

func (s *slowStore) View(_ context.Context, f func(trowel.Tx) error) error { return f(s) }

func (s *slowStore) ListProjectSecrets(ctx context.Context, project trowel.ProjectID, _ int) ([]*trowel.Secret, error) {
	s.mu.Lock()
	s.lists++
	s.open++
	s.most = max(s.most, s.open)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.open--
		s.mu.Unlock()
	}()
	select {
	case <-s.goOn:
		return []*trowel.Secret{{ProjectID: project}}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Who asks for the secrets of a project while others read shares the next list, and never one that began before.
func TestListsAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{goOn: make(chan struct{})}
		rows := secret.RowsIn(store)
		var asking sync.WaitGroup
		ask := func(project trowel.ProjectID) {
			asking.Go(func() {
				list, err := rows.ListProjectSecrets(t.Context(), project, 10)
				if err != nil || len(list) != 1 || list[0].ProjectID != project {
					t.Errorf("ListProjectSecrets(%d) = %v, %v", project, list, err)
				}
			})
			synctest.Wait()
		}
		for range 4 { // each has begun when the next asks
			ask(1)
		}
		if store.lists != 4 {
			t.Errorf("%d lists, want 4: a list that has begun may be older than who asks", store.lists)
		}
		for range 30 {
			ask(1)
			ask(2)
		}
		close(store.goOn)
		asking.Wait()
		if store.lists != 6 || store.most != 4 {
			t.Errorf("%d lists, %d at the same time, want 6 and 4", store.lists, store.most)
		}
	})
}

// If the one who should read is told to end, another one reads.
func TestListOutlivesWhoShouldRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{goOn: make(chan struct{})}
		rows := secret.RowsIn(store)
		var asking sync.WaitGroup
		ask := func(ctx context.Context, want error) {
			asking.Go(func() {
				if _, err := rows.ListProjectSecrets(ctx, 1, 10); !errors.Is(err, want) {
					t.Errorf("ListProjectSecrets = %v, want %v", err, want)
				}
			})
			synctest.Wait()
		}
		for range 4 {
			ask(t.Context(), nil)
		}
		killed := errors.New("killed")
		first, endFirst := context.WithCancelCause(t.Context())
		member, endMember := context.WithCancelCause(t.Context())
		ask(first, killed)
		ask(member, killed)
		ask(t.Context(), nil)
		endMember(killed)
		endFirst(killed)
		synctest.Wait()
		close(store.goOn)
		asking.Wait()
		if store.lists != 5 {
			t.Errorf("%d lists, want 5", store.lists)
		}
	})
}
