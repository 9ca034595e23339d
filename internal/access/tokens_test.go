package access_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/access"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// countingStore counts what is read.
type countingStore struct {
	trowel.Store

	views atomic.Int64
}

func (s *countingStore) View(ctx context.Context, f func(trowel.Tx) error) error {
	s.views.Add(1)
	return s.Store.View(ctx, f)
}

// Tokens of agents are known for five seconds, then all of them are read at once; one that is revoked or deleted holds no
// longer than that. All others are read at each call.
func TestNewTokens(t *testing.T) {
	t.Parallel()
	db := trowtest.Store(t)
	store, clock := &countingStore{Store: db}, trowtest.NewClock(now())
	update := func(f func(tx trowel.Tx) error) {
		t.Helper()
		trowtest.Update(t, db, f)
	}
	agent := &trowel.Token{Name: "agents", Role: "agent", Hash: []byte("agent"), CreatedAt: now()}
	other := &trowel.Token{Name: "more agents", Role: "agent", Hash: []byte("other"), CreatedAt: now()}
	reader := &trowel.Token{Name: "reader", Role: "read", Hash: []byte("reader"), CreatedAt: now()}
	update(func(tx trowel.Tx) error {
		return errors.Join(tx.InsertToken(t.Context(), agent), tx.InsertToken(t.Context(), other), tx.InsertToken(t.Context(), reader))
	})
	revoke := func(token *trowel.Token) func(tx trowel.Tx) error {
		return func(tx trowel.Tx) error {
			revoked := *token
			revoked.RevokedAt = clock.Now()
			return tx.UpdateToken(t.Context(), &revoked)
		}
	}
	tokens := access.NewTokens(store, clock.Now)
	for _, step := range []struct {
		name    string
		later   time.Duration
		change  func(tx trowel.Tx) error
		token   *trowel.Token
		revoked bool
		missing bool
		reads   int64
	}{
		{name: "an agent is read once", token: agent, reads: 1},
		{name: "then it is known", later: 4 * time.Second, token: agent},
		{name: "a reader is read", token: reader, reads: 1},
		{name: "each time", token: reader, reads: 1},
		{name: "another agent is read", token: other, reads: 1},
		{name: "an agent that was revoked is known for a moment", change: revoke(agent), token: agent},
		{name: "and then no more", later: time.Second, token: agent, revoked: true, reads: 1},
		{name: "the others were read with it", token: other},
		{name: "another agent, read once more with all", later: 5 * time.Second, token: other, reads: 1},
		{name: "a token of nobody", later: 5 * time.Second, token: &trowel.Token{Hash: []byte("nobody")}, missing: true, reads: 1},
		{name: "a reader that was revoked", change: revoke(reader), token: reader, revoked: true, reads: 1},
	} {
		clock.Advance(step.later)
		if step.change != nil {
			update(step.change)
		}
		before := store.views.Load()
		found, project, err := tokens.FindToken(t.Context(), step.token.Hash)
		switch {
		case step.missing:
			if !errors.Is(err, trowel.ErrNotFound) {
				t.Errorf("%s: error = %v, want %v", step.name, err, trowel.ErrNotFound)
			}
		case err != nil:
			t.Errorf("%s: %v", step.name, err)
		case found.ID != step.token.ID || project != nil || found.RevokedAt.IsZero() == step.revoked:
			t.Errorf("%s: FindToken = %+v, %v, want token %d, revoked: %t", step.name, found, project, step.token.ID, step.revoked)
		}
		if reads := store.views.Load() - before; reads != step.reads {
			t.Errorf("%s: %d reads, want %d", step.name, reads, step.reads)
		}
	}
}
