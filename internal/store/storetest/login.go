package storetest

import (
	"context"
	"errors"
	"testing"

	trowel "github.com/trowel-project/trowel"
)

// All fields of a login come back. Those of a user and of a token are listed apart, and what has ended is deleted.
func testLogins(t *testing.T, db trowel.Store) {
	token := &trowel.Token{Name: "ann", Hash: []byte("token"), Role: "read", CreatedAt: at(1)}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error { return tx.InsertToken(ctx, token) })
	ofUser := &trowel.Login{
		Hash: []byte("\x00\xff2345678901234567890123456789012"), User: "ann", Proof: []byte{0, 1, 255}, Address: "192.0.2.7", Browser: "Firefox",
		CreatedAt: at(1), UsedAt: at(2), EndsAt: at(100),
	}
	ofToken := &trowel.Login{Hash: []byte("t"), TokenID: token.ID, CreatedAt: at(1), UsedAt: at(50), EndsAt: at(60)}
	second := &trowel.Login{Hash: []byte("u"), User: "ann", CreatedAt: at(1), UsedAt: at(50), EndsAt: at(100)}
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.InsertLogin(ctx, ofUser), tx.InsertLogin(ctx, ofToken), tx.InsertLogin(ctx, second))
	})
	refuse(t, db, trowel.ErrConflict, func(ctx context.Context, tx trowel.Tx) error {
		return tx.InsertLogin(ctx, &trowel.Login{Hash: []byte("u"), User: "bo", CreatedAt: at(1), UsedAt: at(1), EndsAt: at(2)})
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		return errors.Join(tx.TouchLogin(ctx, ofUser.ID, at(40)), tx.TouchLogin(ctx, ofUser.ID, at(30)), tx.TouchLogin(ctx, 99, at(1)))
	})
	ofUser.UsedAt = at(40)
	view(t, db, func(ctx context.Context, tx trowel.Tx) error {
		got, err := tx.FindLogin(ctx, ofUser.Hash)
		equal(t, "FindLogin", got, ofUser)
		users, errUsers := tx.ListLogins(ctx, "ann", 0)
		equal(t, "ListLogins of a user", users, []*trowel.Login{ofUser, second})
		tokens, errTokens := tx.ListLogins(ctx, "ann", token.ID)
		equal(t, "ListLogins of a token", tokens, []*trowel.Login{ofToken})
		found, errFound := tx.FindTokenByID(ctx, token.ID)
		equal(t, "FindTokenByID", found, token)
		_, errUnknown := tx.FindLogin(ctx, []byte("unknown"))
		_, errNoToken := tx.FindTokenByID(ctx, 99)
		wantNotFound(t, map[string]error{"FindLogin(unknown)": errUnknown, "FindTokenByID(99)": errNoToken})
		ended, errEnded := tx.CountEndedLogins(ctx, at(41), at(60))
		equal(t, "CountEndedLogins", ended, 2)
		return errors.Join(err, errUsers, errTokens, errFound, errEnded)
	})
	update(t, db, func(ctx context.Context, tx trowel.Tx) error {
		n, err := tx.DeleteEndedLogins(ctx, at(41), at(60), 1)
		equal(t, "the first DeleteEndedLogins", n, 1)
		more, errMore := tx.DeleteEndedLogins(ctx, at(41), at(60), 10)
		equal(t, "the second DeleteEndedLogins", more, 1)
		return errors.Join(err, errMore, tx.DeleteLogin(ctx, second.ID))
	})
	refuse(t, db, trowel.ErrNotFound, func(ctx context.Context, tx trowel.Tx) error { return tx.DeleteLogin(ctx, second.ID) })
}
