package access

import (
	"context"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// loginUsesApart is the precision with which the use of a login is noted.
const loginUsesApart = 5 * time.Minute

// storedLogins are the logins of a database.
type storedLogins struct {
	store trowel.Store
	now   func() time.Time

	mu    sync.Mutex
	noted map[trowel.LoginID]time.Time // what is written now, so that parallel requests write once
}

// NewLogins returns the logins of a database for a server.
func NewLogins(store trowel.Store, now func() time.Time) Logins {
	return &storedLogins{store: store, now: now, noted: map[trowel.LoginID]time.Time{}}
}

// FindLogin implements Logins.
func (s *storedLogins) FindLogin(ctx context.Context, hash []byte) (*FoundLogin, error) {
	found := &FoundLogin{}
	err := s.store.View(ctx, func(tx trowel.Tx) (err error) {
		if found.Login, err = tx.FindLogin(ctx, hash); err != nil || found.Login.TokenID == 0 {
			return err
		}
		if found.Token, err = tx.FindTokenByID(ctx, found.Login.TokenID); err != nil || found.Token.ProjectID == 0 {
			return err
		}
		found.Project, err = tx.FindProjectByID(ctx, found.Token.ProjectID)
		return err
	})
	return found, err
}

// NoteUse implements Logins. It writes once in some minutes, and ignores it if the use cannot be noted.
func (s *storedLogins) NoteUse(ctx context.Context, l *trowel.Login) {
	now := s.now()
	if now.Sub(l.UsedAt) < loginUsesApart || !s.isNews(l.ID, now) {
		return
	}
	_ = s.store.Update(ctx, func(tx trowel.Tx) error {
		if err := tx.TouchLogin(ctx, l.ID, now); err != nil || l.TokenID == 0 {
			return err
		}
		return tx.TouchToken(ctx, l.TokenID, now)
	})
}

// isNews reports whether this server has not noted a use for some minutes. It forgets logins that it has not noted for long.
func (s *storedLogins) isNews(id trowel.LoginID, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.noted[id]) < loginUsesApart {
		return false
	}
	for other, at := range s.noted {
		if now.Sub(at) >= loginUsesApart {
			delete(s.noted, other)
		}
	}
	s.noted[id] = now
	return true
}
