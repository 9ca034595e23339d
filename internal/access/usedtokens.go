package access

import (
	"context"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// usesApart is the precision with which the use of a token is noted.
const usesApart = time.Minute

// usedTokens finds tokens, and notes that they are used.
type usedTokens struct {
	tokens Tokens
	store  trowel.Store
	now    func() time.Time

	mu    sync.Mutex
	noted map[trowel.TokenID]time.Time
}

// FindToken implements Tokens. If the use cannot be noted, it ignores that.
func (t *usedTokens) FindToken(ctx context.Context, hash []byte) (*trowel.Token, *trowel.Project, error) {
	found, project, err := t.tokens.FindToken(ctx, hash)
	if err != nil {
		return nil, nil, err
	}
	if now := t.now(); t.isNews(found, now) {
		_ = t.store.Update(ctx, func(tx trowel.Tx) error { return tx.TouchToken(ctx, found.ID, now) })
	}
	return found, project, nil
}

// isNews reports whether a use should be noted: only of a valid token, and once in a while.
func (t *usedTokens) isNews(found *trowel.Token, now time.Time) bool {
	if !found.RevokedAt.IsZero() || !found.ExpiresAt.IsZero() && !now.Before(found.ExpiresAt) || now.Sub(found.LastUsedAt) < usesApart {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.noted[found.ID]) < usesApart {
		return false
	}
	if t.noted == nil {
		t.noted = map[trowel.TokenID]time.Time{}
	}
	t.noted[found.ID] = now
	return true
}
