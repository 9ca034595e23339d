package access

import (
	"context"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// NewTokens returns the tokens of a database for a server. It notes their use, and caches those of agents
// for some seconds.
func NewTokens(store trowel.Store, now func() time.Time) Tokens {
	return &usedTokens{tokens: &agentTokens{stored: storedTokens{store}, now: now}, store: store, now: now}
}

// storedTokens reads tokens, each in a transaction of its own.
type storedTokens struct{ store trowel.Store }

// FindToken implements Tokens.
func (s storedTokens) FindToken(ctx context.Context, hash []byte) (found *trowel.Token, project *trowel.Project, err error) {
	err = s.store.View(ctx, func(tx trowel.Tx) error {
		if found, err = tx.FindToken(ctx, hash); err != nil || found.ProjectID == 0 {
			return err
		}
		project, err = tx.FindProjectByID(ctx, found.ProjectID)
		return err
	})
	return found, project, err
}
