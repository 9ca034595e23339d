package access

import (
	"context"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// tokenAge is how old the cached token of an agent may be.
const tokenAge = 5 * time.Second

// agentTokens finds tokens. Those of agents, which call all the time, are cached for some seconds and read
// again together, so that hundreds of agents cost one query now and then. All others are read at each
// call, so that a revoked token is refused at once.
type agentTokens struct {
	stored storedTokens
	now    func() time.Time

	mu      sync.Mutex
	known   map[string]*trowel.Token // tokens of agents for all projects, by their hashes
	readAt  time.Time
	reading bool
}

// FindToken implements Tokens.
func (t *agentTokens) FindToken(ctx context.Context, hash []byte) (*trowel.Token, *trowel.Project, error) {
	known, old := t.find(hash)
	if old {
		found, err := t.readAll(ctx, hash)
		return found, nil, err
	}
	if known != nil {
		return known, nil, nil
	}
	found, project, err := t.stored.FindToken(ctx, hash)
	if err == nil && project == nil && Role(found.Role) == RoleAgent {
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.known) == 0 {
			t.known, t.readAt = map[string]*trowel.Token{}, t.now()
		}
		t.known[string(hash)] = found
	}
	return found, project, err
}

// find returns a cached token. old is set if this caller should read all of them again; others use the cache
// meanwhile.
func (t *agentTokens) find(hash []byte) (known *trowel.Token, old bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known = t.known[string(hash)]
	if known == nil || t.now().Sub(t.readAt) < tokenAge {
		return known, false
	}
	if t.reading && t.now().Sub(t.readAt) < 2*tokenAge {
		return known, false
	}
	t.reading = true
	return known, true
}

// readAll reads all tokens, and returns the one with that hash.
func (t *agentTokens) readAll(ctx context.Context, hash []byte) (*trowel.Token, error) {
	at := t.now()
	fresh := map[string]*trowel.Token{}
	err := t.stored.store.View(ctx, func(tx trowel.Tx) error {
		list, err := tx.ListTokens(ctx)
		clear(fresh)
		for _, token := range list {
			if Role(token.Role) == RoleAgent && token.ProjectID == 0 {
				fresh[string(token.Hash)] = token
			}
		}
		return err
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reading = false
	if err != nil {
		return nil, err
	}
	t.known, t.readAt = fresh, at
	if found := fresh[string(hash)]; found != nil {
		return found, nil
	}
	return nil, trowel.ErrNotFound
}
